import { isDeepStrictEqual } from 'node:util';
import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { keysOf, selects } from '../label-selector.ts';
import {
  type CompanionDraft,
  type CompanionKind,
  type CompanionSides,
  type Drafted,
  isForPrimaryAlone,
  primarySelector,
  sidesSelected,
  type WithoutCompanion,
} from './companion.ts';

interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  [field: string]: unknown;
}
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: unknown[];
  [field: string]: unknown;
}
interface PolicySpec {
  podSelector?: LabelSelector;
  policyTypes?: string[];
  ingress?: Rule[];
  egress?: Rule[];
  [field: string]: unknown;
}

const DIRECTIONS = [
  { type: 'Ingress', rules: 'ingress', peers: 'from' },
  { type: 'Egress', rules: 'egress', peers: 'to' },
] as const;
type Direction = (typeof DIRECTIONS)[number];

const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/**
 * A policy of the target's pods also holds for the primary's, and a policy that admits the target by its label admits the primary. Policies add up, so that the
 * latter is a separate policy beside the source, which is not changed.
 */
export const networkPolicy: CompanionKind = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  draft(sources, sides, ofOthers) {
    const near = sources.filter(({ metadata }) => metadata.namespace === sides.namespace);
    const all = [...near, ...ofOthers];
    const far = sources.filter(({ metadata }) => metadata.namespace !== sides.namespace);
    const drafted = near.map((source) => draftBeside(source, near, all, sides));
    // Another primary that admits the target's pods also admits this primary's.
    const besideOthers = ofOthers.flatMap((source) => draftForPeers(source, all, sides));
    const admittedFar = far.flatMap((source): WithoutCompanion[] => {
      const isConcerned = DIRECTIONS.some((direction) => rulesConcerned(source, [source], direction, sides).length > 0);
      return isConcerned ? [{ source: refOf(source), code: 'anotherNamespace' }] : unknownPeers(source, sides);
    });
    return {
      drafts: [...drafted.flatMap(({ drafts }) => drafts), ...besideOthers],
      without: [...drafted.flatMap(({ without }) => without), ...admittedFar],
    };
  },
};

function draftBeside(source: KubeObject, near: readonly KubeObject[], all: readonly KubeObject[], sides: CompanionSides) {
  const spec = specOf<PolicySpec>(source);
  const is = sidesSelected(spec.podSelector ?? {}, sides);
  const drafts: CompanionDraft[] = [];
  const without: WithoutCompanion[] = unknownPeers(source, sides);
  if (is.target && is.primary) without.push({ source: refOf(source), code: 'selectsBoth' });
  if (is.target && !is.primary) {
    const own = near.filter((other) => isForPrimaryAlone(specOf<PolicySpec>(other).podSelector ?? {}, sides));
    const left = DIRECTIONS.filter(
      ({ type }) => typesOf(spec).includes(type) && !own.some((other) => typesOf(specOf(other)).includes(type)),
    );
    if (left.length > 0) drafts.push({ source, role: 'pods', spec: ofPods(spec, left, sides) });
    else if (own[0]) without.push({ source: refOf(source), code: 'hasOwn', by: refOf(own[0]) });
  }
  if (is.primary && !is.target) {
    const begun = draftWhereItBegins(source, near, sides);
    drafts.push(...begun.drafts);
    without.push(...begun.without);
  }
  return { drafts: [...drafts, ...draftForPeers(source, all, sides)], without };
}

/**
 * A policy that leaves the target out by its label begins to limit the primary. If no policy limits the target, the companion also leaves the primary open. If
 * a policy does, it has a companion, to which this one must not add anything.
 */
function draftWhereItBegins(source: KubeObject, near: readonly KubeObject[], sides: CompanionSides): Drafted {
  const spec = specOf<PolicySpec>(source);
  if (isForPrimaryAlone(spec.podSelector ?? {}, sides)) return { drafts: [], without: [] };
  const limiting = near
    .map((other) => specOf<PolicySpec>(other))
    .filter(({ podSelector = {} }) => {
      return sidesSelected(podSelector, sides).target || isForPrimaryAlone(podSelector, sides);
    });
  const begins = DIRECTIONS.filter(({ type }) => typesOf(spec).includes(type));
  const open = begins.filter(({ type }) => !limiting.some((other) => typesOf(other).includes(type)));
  if (begins.some((direction) => !open.includes(direction) && spec[direction.rules]?.length))
    return { drafts: [], without: [{ source: refOf(source), code: 'addsRules' }] };
  if (open.length === 0) return { drafts: [], without: [] };
  const rules = Object.fromEntries(open.map((direction) => [direction.rules, [{}]]));
  const ofPods = { podSelector: primarySelector(sides), policyTypes: open.map(({ type }) => type), ...rules };
  return { drafts: [{ source, role: 'pods', spec: ofPods }], without: [] };
}

/** Pods of the source are already limited in these directions: more rules only admit more. */
function draftForPeers(source: KubeObject, all: readonly KubeObject[], sides: CompanionSides): CompanionDraft[] {
  const concerned = DIRECTIONS.map((direction) => ({ ...direction, found: rulesConcerned(source, all, direction, sides) }));
  const used = concerned.filter(({ found }) => found.length > 0);
  if (used.length === 0) return [];
  const { podSelector = {} } = specOf<PolicySpec>(source);
  const admitted = used.map(({ rules, peers, found }) => [rules, found.map((rule) => withPrimaryAlone(rule, peers, sides))] as const);
  const policyTypes = used.map(({ type }) => type);
  return [{ source, role: 'peers', spec: { podSelector, policyTypes, ...Object.fromEntries(admitted) } }];
}

/** Source: the API's description of `policyTypes`; the server fills it in. */
function typesOf({ policyTypes, egress = [] }: PolicySpec): readonly string[] {
  return policyTypes ?? (egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']);
}

/** The same rules for the primary's pods; a rule that admits the target's pods also admits the primary's. */
function ofPods(spec: PolicySpec, left: readonly Direction[], sides: CompanionSides): Record<string, unknown> {
  const { podSelector: _selector, policyTypes: _types, ingress: _ingress, egress: _egress, ...rest } = spec;
  const rules = left.flatMap(({ rules, peers }) => {
    const list = spec[rules];
    return list === undefined ? [] : [[rules, list.map((rule) => withPrimary(rule, peers, sides))] as const];
  });
  return { ...rest, podSelector: primarySelector(sides), policyTypes: left.map(({ type }) => type), ...Object.fromEntries(rules) };
}

function withPrimary(rule: Rule, peers: Direction['peers'], sides: CompanionSides): Rule {
  const { target, primary } = admitted(rule[peers], sides, sides.namespace);
  if (!target || primary) return rule;
  return { ...rule, [peers]: [...(rule[peers] ?? []), { podSelector: primarySelector(sides) }] };
}

const withPrimaryAlone = (rule: Rule, peers: Direction['peers'], sides: CompanionSides): Rule => ({
  ...rule,
  [peers]: [{ podSelector: primarySelector(sides) }],
});

/** Rules that admit the target's pods as peers and not the primary's, unless other rules of the same pods do. */
function rulesConcerned(source: KubeObject, near: readonly KubeObject[], direction: Direction, sides: CompanionSides): Rule[] {
  const spec = specOf<PolicySpec>(source);
  if (!typesOf(spec).includes(direction.type)) return [];
  return (spec[direction.rules] ?? []).filter((rule) => {
    const is = admitted(rule[direction.peers], sides, source.metadata.namespace);
    return is.target && !is.primary && !near.some((other) => admitsPrimary(other, spec, rule, direction, sides));
  });
}

function admitsPrimary(
  other: KubeObject,
  { podSelector = {} }: PolicySpec,
  { ports }: Rule,
  direction: Direction,
  sides: CompanionSides,
): boolean {
  const spec = specOf<PolicySpec>(other);
  const covers = typesOf(spec).includes(direction.type) && isDeepStrictEqual(spec.podSelector ?? {}, podSelector);
  const hasPorts = (rule: Rule) => !rule.ports?.length || isDeepStrictEqual(rule.ports, ports);
  const rules = spec[direction.rules] ?? [];
  return covers && rules.some((rule) => hasPorts(rule) && admitted(rule[direction.peers], sides, other.metadata.namespace).primary);
}

/** Sides that the peers admit. An absent or empty list admits all. */
function admitted(peers: readonly Peer[] | undefined, sides: CompanionSides, namespace: string | undefined) {
  if (!peers?.length) return { target: true, primary: true };
  const named = peers
    .filter((peer) => isOfNamespace(peer, sides, namespace))
    .map(({ podSelector }) => sidesSelected(podSelector ?? {}, sides));
  return { target: named.some(({ target }) => target), primary: named.some(({ primary }) => primary) };
}

/** A peer without a namespaceSelector selects pods of the policy's own namespace; a peer with addresses selects no pods. */
function isOfNamespace(
  { podSelector, namespaceSelector }: Peer,
  { namespace, namespaceLabels }: CompanionSides,
  own: string | undefined,
): boolean {
  if (namespaceSelector) return selects(namespaceSelector, { ...namespaceLabels, [NAMESPACE_NAME]: namespace });
  return podSelector !== undefined && own === namespace;
}

/** A peer in namespaces by labels that are not known could select the target's pods. */
function unknownPeers(source: KubeObject, sides: CompanionSides): WithoutCompanion[] {
  if (sides.namespaceLabels !== undefined) return [];
  const spec = specOf<PolicySpec>(source);
  const isUnknown = ({ podSelector, namespaceSelector }: Peer) => {
    const is = sidesSelected(podSelector ?? {}, sides);
    return is.target && !is.primary && keysOf(namespaceSelector).some((key) => key !== NAMESPACE_NAME);
  };
  const isConcerned = DIRECTIONS.some(({ rules, peers }) => (spec[rules] ?? []).some((rule) => (rule[peers] ?? []).some(isUnknown)));
  return isConcerned ? [{ source: refOf(source), code: 'namespaceUnknown' }] : [];
}

import { isDeepStrictEqual } from 'node:util';
import type { StructuralSchema } from '../../api/crds.ts';
import {
  asCustomResourceDefinition,
  type CustomResourceDefinition,
  type CustomResourceVersion,
} from '../../api/kinds/custom-resource-definition.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** One difference between the definition in a cluster and ours. */
export interface CrdDifference {
  /** `lost`: a field that the cluster has and ours lacks, so that applying ours would drop it from every object. */
  kind: 'new' | 'changed' | 'lost';
  /** `v1beta1 spec.analysis.interval`, or a field of the definition itself. */
  at: string;
  says: string;
}

const KEEPS_UNKNOWN = 'x-kubernetes-preserve-unknown-fields';
/** Compared separately, or texts without an effect. */
const ASIDE = new Set(['properties', 'items', 'additionalProperties', 'description']);

/** Changes that applying `ours` over `live` would make, texts aside; in the order of the definition. */
export function compareDefinitions(found: KubeObject, wanted: KubeObject): CrdDifference[] {
  const [live, ours] = [asCustomResourceDefinition(found), asCustomResourceDefinition(wanted)];
  const versions = ours.spec.versions.flatMap((version) => {
    const before = live.spec.versions.find(({ name }) => name === version.name);
    return before ? compareVersions(before, version) : [{ kind: 'new' as const, at: version.name, says: 'is also served' }];
  });
  return [...compareNames(live, ours), ...lostVersions(live, ours), ...versions];
}

function compareNames(live: CustomResourceDefinition, ours: CustomResourceDefinition): CrdDifference[] {
  return Object.entries(ours.spec.names).flatMap(([name, wanted]) => {
    const held = live.spec.names[name];
    return isDeepStrictEqual(held, wanted) ? [] : [changed(`names.${name}`, held, wanted)];
  });
}

/** A version that is served, or in which objects are stored, is lost where ours does not serve it. */
function lostVersions(live: CustomResourceDefinition, ours: CustomResourceDefinition): CrdDifference[] {
  const served = ours.spec.versions.filter((version) => version.served).map(({ name }) => name);
  const stored = live.status?.storedVersions ?? [];
  return live.spec.versions
    .filter(({ name, served: isServed }) => !served.includes(name) && (isServed || stored.includes(name)))
    .map(({ name, served: isServed }) => ({
      kind: 'lost',
      at: name,
      says: isServed ? 'is a served version' : 'is a version in which objects are stored',
    }));
}

function compareVersions(live: CustomResourceVersion, ours: CustomResourceVersion): CrdDifference[] {
  const { schema: _, ...rest } = ours;
  const around = Object.entries(rest).flatMap(([name, wanted]) =>
    isDeepStrictEqual(withoutTexts(live[name]), withoutTexts(wanted)) ? [] : [changed(`${ours.name} ${name}`, live[name], wanted)],
  );
  return [...around, ...compareSchemas(live.schema?.openAPIV3Schema ?? {}, ours.schema?.openAPIV3Schema ?? {}, `${ours.name} `)];
}

/** The API server drops a priority of 0 from a column of `kubectl get`. */
function withoutTexts(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map(({ description: _, priority, ...column }) => ({ ...column, priority: priority ?? 0 }));
}

function compareSchemas(live: StructuralSchema, ours: StructuralSchema, at: string): CrdDifference[] {
  const here = at.trimEnd();
  const keywords = [...new Set([...Object.keys(live), ...Object.keys(ours)])].filter((keyword) => !ASIDE.has(keyword));
  const differing = keywords.filter((keyword) => !isSame(keyword, live[keyword], ours[keyword]));
  const words = differing.map((keyword) => changed(`${here} ${keyword}`, live[keyword], ours[keyword]));
  const keepsUnknown = ours[KEEPS_UNKNOWN] === true;
  // If the cluster keeps unknown fields, objects can contain fields that neither definition names.
  const opaque: CrdDifference[] =
    live[KEEPS_UNKNOWN] === true && !keepsUnknown ? [{ kind: 'lost', at: here, says: 'keeps fields that no schema names' }] : [];
  return [...words, ...opaque, ...compareFields(live, ours, at, keepsUnknown), ...compareInner(live, ours, at, keepsUnknown)];
}

function compareFields(live: StructuralSchema, ours: StructuralSchema, at: string, keepsUnknown: boolean): CrdDifference[] {
  const [held, wanted] = [live.properties ?? {}, ours.properties ?? {}];
  const path = (name: string) => (at.endsWith(' ') ? `${at}${name}` : `${at}.${name}`);
  return [...new Set([...Object.keys(wanted), ...Object.keys(held)])].flatMap((name): CrdDifference[] => {
    const [before, after] = [held[name], wanted[name]];
    if (before && after) return compareSchemas(before, after, path(name));
    if (after) return [{ kind: 'new', at: path(name), says: `a field (${after.type ?? 'any'})` }];
    const isKept = keepsUnknown || ours.additionalProperties !== undefined;
    return isKept ? [] : [{ kind: 'lost', at: path(name), says: `a field (${before?.type ?? 'any'})` }];
  });
}

/** Entries of lists and of maps. */
function compareInner(live: StructuralSchema, ours: StructuralSchema, at: string, keepsUnknown: boolean): CrdDifference[] {
  return (['items', 'additionalProperties'] as const).flatMap((part): CrdDifference[] => {
    const [before, after] = [live[part], ours[part]];
    const inner = part === 'items' ? `${at.trimEnd()}[]` : `${at.trimEnd()}.*`;
    if (before && after) return compareSchemas(before, after, inner);
    if (after) return [{ kind: 'new', at: inner, says: 'any name' }];
    return before && !keepsUnknown ? [{ kind: 'lost', at: inner, says: 'any name' }] : [];
  });
}

function isSame(keyword: string, held: unknown, wanted: unknown): boolean {
  if (keyword === 'required' || keyword === 'enum') {
    const sorted = (list: unknown) => (Array.isArray(list) ? list.map(String).sort() : list);
    return isDeepStrictEqual(sorted(held), sorted(wanted));
  }
  return isDeepStrictEqual(held, wanted);
}

function changed(at: string, held: unknown, wanted: unknown): CrdDifference {
  const text = (value: unknown) => (value === undefined ? 'unset' : JSON.stringify(value));
  return { kind: 'changed', at, says: `${text(held)} becomes ${text(wanted)}` };
}

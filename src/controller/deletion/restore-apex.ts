import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { unguarded } from '../../api/apex-guard.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import type { ServicePort, ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, Labels, OwnerReference } from '../../api/kube-object.ts';
import { fieldManager, fluxOff } from '../../api/names.ts';
import type { SelectorLabel } from '../../api/selector-label.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';
import { apexOriginal, type Original, readLastApplied } from '../adoption/apex-original.ts';
import { onlyThese } from '../objects/whole-lists.ts';

const NOTHING = { 'f:labels': {}, 'f:annotations': {} };
const Held = z.record(z.string(), z.unknown()).catch({}).default({});
const Fields = z.object({ 'f:metadata': z.object({ 'f:labels': Held, 'f:annotations': Held }).catch(NOTHING).default(NOTHING) });

export type ApexPatch = { metadata: Record<string, unknown>; spec: Record<string, unknown> };

/** Selector of one side. `whole`: set if it takes more labels to select no pods of other workloads. */
export interface OwnSelector extends SelectorLabel {
  whole?: Labels | undefined;
}

/**
 * The merge patch that leaves the apex Service to its user: its own selector, if that finds the target's pods; the ports that it had
 * besides ours, without node ports, which another Service can have by now; and no mark that keeps a GitOps tool away.
 * `recorded`: its state when we took it over, `undefined` when it is ours, or was taken over by a later `service.name`: then the last manifest of `kubectl
 * apply` decides, like a manifest that was applied since. The result is `undefined` if nothing has to change.
 */
export function apexRestorePatch(service: KubeObject, target: KubeObject, own: OwnSelector, recorded: Original): ApexPatch | undefined {
  const applied = readLastApplied(service);
  const original = recorded ?? (applied?.metadata && apexOriginal({ metadata: applied.metadata, spec: applied.spec }));
  const pods = specOf<PodWorkloadSpec>(target).template?.metadata?.labels ?? {};
  const fits = (selector: Labels | undefined): selector is Labels =>
    selector !== undefined && own.key in selector && Object.entries(selector).every(([key, value]) => pods[key] === value);
  const ofManifest = applied?.spec?.selector;
  const isApplied = ofManifest !== undefined && !isDeepStrictEqual(ofManifest, original?.appliedSelector);
  const known = isApplied ? [ofManifest, original?.selector] : [original?.selector, ofManifest];
  const selector = known.find(fits) ?? own.whole ?? { [own.key]: own.value };
  const sent = serverSideManifest(service);
  const before = applied?.metadata?.annotations ?? sent?.annotations ?? (applied ? {} : (original?.annotations ?? {}));
  const annotations = { ...changesOf(service.metadata.annotations, Object.keys(fluxOff), before), ...unguarded(service) };
  // A value that is not Serin's was written since, and stays.
  const isOurs = service.metadata.labels?.[own.key] === service.metadata.name;
  const labels = original?.labels && isOurs ? changesOf(service.metadata.labels, [own.key], sent?.labels ?? original.labels) : {};
  const live = specOf<ServiceSpec>(service);
  // The Service has the ports of a server-side manifest already: ports that it, or the manifest of `kubectl apply`, no longer has do not come back.
  const extra = sent ? [] : extraPorts(live.ports ?? [], original?.ports ?? [], applied?.spec?.ports);
  const isOwned = service.metadata.ownerReferences !== undefined;
  const isLeft = isDeepStrictEqual(live.selector, selector) && !isOwned && extra.length === 0;
  if (isLeft && Object.keys({ ...annotations, ...labels }).length === 0) return undefined;
  return {
    // It is what clients call: it outlives the Canary, so it loses the owner that would take it along.
    metadata: {
      ownerReferences: null,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ...(Object.keys(labels).length > 0 && { labels }),
    },
    spec: {
      selector: onlyThese(selector, live.selector ?? {}),
      ...(extra.length > 0 && { ports: [...(live.ports ?? []), ...extra] }),
    },
  };
}

/** The same where the target is gone: all traffic to this side, whose selector is `own`; `owners` take the Service along when they go. */
export function apexMovePatch(service: KubeObject, own: OwnSelector, owners: OwnerReference[] | null): ApexPatch | undefined {
  const live = specOf<ServiceSpec>(service).selector;
  const selector = own.whole ?? { [own.key]: own.value };
  if (isDeepStrictEqual(service.metadata.ownerReferences ?? null, owners) && isDeepStrictEqual(live, selector)) return undefined;
  return { metadata: { ownerReferences: owners }, spec: { selector: onlyThese(selector, live ?? {}) } };
}

/** Labels and annotations, with their values, that server-side applies of others hold; undefined where no one else applies it. */
function serverSideManifest(service: KubeObject): Record<'labels' | 'annotations', Labels> | undefined {
  const entries = entriesOf(service).filter(
    ({ manager, operation, subresource }) => operation === 'Apply' && manager !== fieldManager && (subresource ?? '') === '',
  );
  if (entries.length === 0) return undefined;
  const heldOf = (part: 'labels' | 'annotations'): Labels => {
    const isHeld = (key: string) =>
      entries.some(({ fieldsV1 = {} }) => Object.hasOwn(Fields.parse(fieldsV1)['f:metadata'][`f:${part}`], `f:${key}`));
    return Object.fromEntries(Object.entries(service.metadata[part] ?? {}).filter(([key]) => isHeld(key)));
  };
  return { labels: heldOf('labels'), annotations: heldOf('annotations') };
}

/** In a merge patch: the former values of these labels or annotations, empty if they have them. */
function changesOf(live: Labels | undefined, keys: readonly string[], before: Labels): Record<string, string | null> {
  const changed = keys.filter((key) => live?.[key] !== before[key]);
  return Object.fromEntries(changed.map((key) => [key, before[key] ?? null]));
}

/** `declared`: those of the last manifest, if it is known. */
function extraPorts(live: readonly ServicePort[], before: readonly ServicePort[], declared?: readonly object[]): ServicePort[] {
  const keyOf = ({ port, protocol = 'TCP' }: Partial<ServicePort>) => `${port}/${protocol}`;
  const isNew = (one: ServicePort) => !live.some((other) => keyOf(other) === keyOf(one) || other.name === one.name);
  const isDeclared = (one: ServicePort) => declared?.some((other) => keyOf(other) === keyOf(one)) ?? true;
  return before.filter((one) => isNew(one) && isDeclared(one)).map(({ nodePort: _, ...port }) => port);
}

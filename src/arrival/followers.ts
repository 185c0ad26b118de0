import * as z from 'zod';
import { guardMark, unguarded } from '../api/apex-guard.ts';
import type { Canary } from '../api/canary.ts';
import type { ServiceSpec } from '../api/kinds/service.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject, Labels } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import type { SelectorLabels } from '../api/selector-label.ts';
import { isMade } from '../routers/services.ts';
import { selects } from '../workloads/label-selector.ts';

/** Annotation on a Service that follows the apex Service: its original selector as JSON. It is restored together with that of the apex Service. */
export const originalSelectorAnnotation = 'serin.dev/original-selector';

/** A Service that follows the apex Service, or could. */
export interface Following {
  service: KubeObject;
  /** The selector that its user wrote. */
  original: Labels;
  /** Selector that leads to the primary: the same pods but for the label that differs. */
  selector: Labels;
  /** It has the annotation already. */
  isMarked: boolean;
}

/** Labels of the pods of both sides. */
export interface SideLabels {
  target: Labels | undefined;
  primary: Labels;
}

const Selector = z.record(z.string(), z.string());

/**
 * The Services of a namespace that follow the apex Service: the marked Services, and others that select the target's pods, by the rule of
 * `spec.service.followers`. A marked Service is left out if its user has given it another selector that does not find the target.
 */
export function followingOf(canary: Canary, services: readonly KubeObject[], label: SelectorLabels, sides: SideLabels): Following[] {
  return services.flatMap((service) => {
    if (!isOther(canary, service)) return [];
    const live = specOf<ServiceSpec>(service).selector ?? {};
    const marked = originalOf(service);
    if (marked && live[label.key] === label.primary) return [{ service, original: marked, selector: live, isMarked: true }];
    // Another tool has restored its selector, or the Service is new.
    if (!finds(live, sides.target) || !mayFollow(canary, service.metadata.name)) return [];
    const selector = followerSelector(live, label);
    return finds(selector, sides.primary)
      ? [{ service, original: live, selector, isMarked: marked !== undefined && isSame(marked, live) }]
      : [];
  });
}

/** Neither one of the Canary's own Services, nor made by Serin for another Canary, nor without a selector. */
function isOther(canary: Canary, service: KubeObject): boolean {
  const { apexService, primaryService, canaryService } = names(canary);
  const { selector, type } = specOf<ServiceSpec>(service);
  if (service.kind !== 'Service' || service.apiVersion !== 'v1' || service.metadata.namespace !== canary.metadata.namespace) return false;
  if (type === 'ExternalName' || Object.keys(selector ?? {}).length === 0 || isMade(service)) return false;
  return ![apexService, primaryService, canaryService].includes(service.metadata.name);
}

/** `spec.service.followers` allows it. */
export function mayFollow({ spec }: Pick<Canary, 'spec'>, name: string): boolean {
  const { followers = 'auto' } = spec.service;
  return followers === 'auto' || (followers !== 'none' && followers.includes(name));
}

/** The selector of a Service that follows. It also distinguishes the sides if the original did not. */
export function followerSelector(original: Labels, { key, primary }: Pick<SelectorLabels, 'key' | 'primary'>): Labels {
  return { ...original, [key]: primary };
}

/** The original selector of a follower; undefined if the Service is not a follower or its annotation cannot be read. */
export function originalOf({ metadata }: KubeObject): Labels | undefined {
  const text = metadata.annotations?.[originalSelectorAnnotation];
  if (text === undefined) return undefined;
  try {
    return Selector.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Merge patch that makes a Service follow. */
export function followPatch({ service, original, selector }: Following): Record<string, unknown> {
  const { resourceVersion } = service.metadata;
  const annotations = { [originalSelectorAnnotation]: JSON.stringify(original), ...guardMark(service) };
  return { metadata: { resourceVersion, annotations }, spec: { selector } };
}

/** Merge patch that restores the selector of a follower; undefined if the Service is not a follower. */
export function unfollowPatch(service: KubeObject, label: Pick<SelectorLabels, 'key' | 'primary'>): Record<string, unknown> | undefined {
  const original = originalOf(service);
  if (original === undefined) return undefined;
  const live = specOf<ServiceSpec>(service).selector ?? {};
  const { resourceVersion } = service.metadata;
  const metadata = { resourceVersion, annotations: { [originalSelectorAnnotation]: null, ...unguarded(service) } };
  // Its user has changed the selector meanwhile, and the new one is kept.
  if (live[label.key] !== label.primary) return { metadata };
  return { metadata, spec: { selector: { [label.key]: original[label.key] ?? null } } };
}

const finds = (selector: Labels, labels: Labels | undefined): boolean => labels !== undefined && selects({ matchLabels: selector }, labels);

const isSame = (one: Labels, other: Labels): boolean =>
  Object.keys(one).length === Object.keys(other).length && Object.entries(one).every(([key, value]) => other[key] === value);

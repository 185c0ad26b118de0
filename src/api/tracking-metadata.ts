import type { KubeObject, Labels } from './kube-object.ts';

/** Flagger's annotation in which a routing object that it found keeps its own spec. */
export const originalConfig = 'flagger.kubernetes.io/original-configuration';
/** A second copy of the object, which kubectl keeps: up to 256 KiB. */
export const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
/** Annotations by which deletion restores the spec of a route. They are read only from that object, never from a Canary, which could plant a spec in them. */
export const specRecords: readonly string[] = [originalConfig, lastApplied];

/** The annotations, without any that keep a copy of a spec. */
export function withoutSpecRecords(annotations: Labels | undefined): Labels {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => !specRecords.includes(key)));
}

const TRACKING_DOMAINS = [/(^|\.)toolkit\.fluxcd\.io$/, /(^|\.)argocd\.argoproj\.io$/, /^meta\.helm\.sh$/];
/** Written by kubectl and by the controllers of the workloads, only for the object that carries them. */
const TRACKING_KEYS = new Set([lastApplied, 'deployment.kubernetes.io/revision', 'deprecated.daemonset.template.generation']);

/** A label or annotation that marks an object as owned by a deployment tool. On a copy it makes the tool prune or fight the primary, so it is never copied. */
export function isTracking(key: string, value: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  return (
    TRACKING_KEYS.has(key) ||
    TRACKING_DOMAINS.some((pattern) => pattern.test(domain)) ||
    (key === 'app.kubernetes.io/managed-by' && value === 'Helm')
  );
}

/** The pairs that are safe to copy; `keep` names keys that are copied in any case. */
export function withoutTracking(pairs: Labels | undefined, keep: ReadonlySet<string> = new Set()): Labels {
  return Object.fromEntries(Object.entries(pairs ?? {}).filter(([key, value]) => keep.has(key) || !isTracking(key, value)));
}

/** Pairs whose key starts with one of the prefixes; `*` matches all, an empty prefix none. */
export function withPrefix(pairs: Labels, prefixes: readonly string[]): Labels {
  const isIncluded = (key: string) => prefixes.some((prefix) => prefix === '*' || (prefix !== '' && key.startsWith(prefix)));
  return Object.fromEntries(Object.entries(pairs).filter(([key]) => isIncluded(key)));
}

/** For objects that are kept in memory and never restored from there. */
export function withoutLastApplied(metadata: KubeObject['metadata']): KubeObject['metadata'] {
  const { [lastApplied]: applied, ...annotations } = metadata.annotations ?? {};
  return applied === undefined ? metadata : { ...metadata, annotations };
}

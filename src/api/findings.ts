import { keptIn } from '../base/once.ts';
import { analysisFindings } from './analysis-findings.ts';
import type { Canary } from './canary.ts';
import type { Finding, Scope } from './finding.ts';
import { type MeshProvider, observedProvider, providerOf } from './mesh-provider.ts';
import { routedTextFindings } from './routed-text.ts';
import { routingFindings } from './routing-findings.ts';
import { scalerFindings } from './scaler-findings.ts';

export type { Finding } from './finding.ts';

/**
 * All findings about a Canary that need no cluster. `options.provider` is the global one; without it and `spec.provider`, fields that depend on the provider
 * are not judged.
 */
export function findings(canary: Canary, options: { provider?: MeshProvider } = {}): Finding[] {
  const { provider: named } = canary.spec;
  const { provider: mesh } = options;
  const routed = named ?? mesh;
  const scope: Scope = { canary, provider: routed && providerOf(routed), observed: observedProvider(named, mesh) };
  return [...routingFindings(scope), ...scalerFindings(scope), ...analysisFindings(scope), ...routedTextFindings(scope)];
}

type Known = { metadata: string; byProvider: Map<MeshProvider | undefined, readonly Finding[]> };
const known = new WeakMap<Canary['spec'], Known>();

/** As `findings`, once for a spec that is never changed in place, as `parseCanaryOnce` brings it, and for the metadata that are judged with it. */
export function findingsOnce(canary: Canary, provider: MeshProvider | undefined): readonly Finding[] {
  const { name, annotations } = canary.metadata;
  const metadata = JSON.stringify([name, annotations]);
  const before = known.get(canary.spec);
  const { byProvider } = before?.metadata === metadata ? before : { byProvider: new Map<MeshProvider | undefined, readonly Finding[]>() };
  if (before?.byProvider !== byProvider) known.set(canary.spec, { metadata, byProvider });
  return keptIn(byProvider, provider, () => findings(canary, provider === undefined ? {} : { provider }));
}

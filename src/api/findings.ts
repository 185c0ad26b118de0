import { analysisFindings } from './analysis-findings.ts';
import type { Canary } from './canary.ts';
import type { Finding, Scope } from './finding.ts';
import { type MeshProvider, observedProvider, providerOf } from './mesh-provider.ts';
import { keptIn } from './once.ts';
import { routedTextFindings } from './routed-text.ts';
import { routingFindings } from './routing-findings.ts';
import { scalerFindings } from './scaler-findings.ts';

export type { Finding } from './finding.ts';

/**
 * Everything that can be said about a Canary without a cluster. `options.provider` is the global one; with neither it nor
 * `spec.provider`, what depends on the provider is not judged.
 */
export function findings(canary: Canary, options: { provider?: MeshProvider } = {}): Finding[] {
  const { provider: named } = canary.spec;
  const { provider: mesh } = options;
  const routed = named ?? mesh;
  const scope: Scope = { canary, provider: routed && providerOf(routed), observed: observedProvider(named, mesh) };
  return [...routingFindings(scope), ...scalerFindings(scope), ...analysisFindings(scope), ...routedTextFindings(scope)];
}

const known = new WeakMap<Canary, Map<MeshProvider | undefined, readonly Finding[]>>();

/** As `findings`, once for a Canary that is never changed in place, as `parseCanaryOnce` brings it. */
export function findingsOnce(canary: Canary, provider: MeshProvider | undefined): readonly Finding[] {
  const byProvider = keptIn(known, canary, () => new Map());
  return keptIn(byProvider, provider, () => findings(canary, provider === undefined ? {} : { provider }));
}

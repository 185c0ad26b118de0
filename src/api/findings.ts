import { analysisFindings } from './analysis-findings.ts';
import type { Canary, Provider } from './canary.ts';
import type { Finding, Scope } from './finding.ts';
import { routingFindings } from './routing-findings.ts';
import { scalerFindings } from './scaler-findings.ts';

export type { Finding } from './finding.ts';

/**
 * Everything that can be said about a Canary without a cluster. `options.provider` is the global one; with neither it nor
 * `spec.provider`, what depends on the provider is not judged.
 */
export function findings(canary: Canary, options: { provider?: Provider } = {}): Finding[] {
  const scope: Scope = { canary, provider: canary.spec.provider ?? options.provider };
  return [...routingFindings(scope), ...scalerFindings(scope), ...analysisFindings(scope)];
}

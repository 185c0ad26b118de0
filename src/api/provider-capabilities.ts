import type { Canary, Provider } from './canary.ts';
import { type Capabilities, factsOf } from './providers.ts';

type Specified = Pick<Canary, 'spec'>;

/** Istio's TCP routes have weights only. */
export const isIstioTcp = ({ spec: { service } }: Specified, provider: Provider): boolean =>
  provider === 'istio' && service.appProtocol?.toLowerCase() === 'tcp';

/** Capabilities of a provider that remain with this spec. */
export function capabilitiesFor(canary: Specified, provider: Provider, can: Capabilities = factsOf(provider).can): Capabilities {
  const { weights } = can;
  return isIstioTcp(canary, provider) ? { weights, mirroring: false, headerMatch: false, sessionAffinity: false } : can;
}

/** The analysis selects the users of the canary by conditions. In a release with only weights, `match` narrows the weights if that is possible. */
export const choosesUsers = ({ spec: { analysis } }: Specified): boolean =>
  (analysis.match?.length ?? 0) > 0 && (analysis.iterations ?? 0) > 0;

/** A stage of copied requests comes before the first weight. With iterations, copies are an extra. */
export const beginsMirrored = ({ spec: { analysis } }: Specified): boolean => analysis.mirror === true && (analysis.iterations ?? 0) <= 0;

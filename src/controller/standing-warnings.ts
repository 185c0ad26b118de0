import type { Canary, Provider } from '../api/canary.ts';
import { legacyProviders } from '../api/legacy-providers.ts';
import type { ClusterView } from './cluster-view.ts';
import type { RefusedSteering } from './refused-steering.ts';
import { scalerDoubts } from './scaling.ts';

export const standingWarnings = ['ProviderDeprecated', 'ScalerInDoubt', 'ServiceTrafficRefused'] as const;

/** Something that holds up nothing, said by a condition of this type and by an event of this reason. */
export interface StandingWarning {
  type: (typeof standingWarnings)[number];
  message: string;
}

export function warningsOf(
  canary: Canary,
  provider: Provider,
  view: ClusterView,
  steering: Pick<RefusedSteering, 'message'>,
): readonly StandingWarning[] {
  const ended = legacyProviders[provider];
  const doubts = scalerDoubts(canary, view).join('; ');
  return [
    ...(ended ? [{ type: 'ProviderDeprecated', message: `spec.provider: ${ended}` } as const] : []),
    ...(steering.message === undefined ? [] : [{ type: 'ServiceTrafficRefused', message: steering.message } as const]),
    ...(doubts === '' ? [] : [{ type: 'ScalerInDoubt', message: doubts } as const]),
  ];
}

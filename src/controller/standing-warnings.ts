import type { Canary, Provider } from '../api/canary.ts';
import { legacyProviders } from '../api/legacy-providers.ts';
import { idleTrafficFields } from '../api/routing-findings.ts';
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
  view: Pick<ClusterView, 'find'>,
  steering: Pick<RefusedSteering, 'messageFor'>,
): readonly StandingWarning[] {
  const ended = legacyProviders[provider];
  const refused = idleTraffic(canary) ?? steering.messageFor(canary);
  const doubts = scalerDoubts(canary, view).join('; ');
  return [
    ...(ended ? [{ type: 'ProviderDeprecated', message: `spec.provider: ${ended}` } as const] : []),
    ...(refused === undefined ? [] : [{ type: 'ServiceTrafficRefused', message: refused } as const]),
    ...(doubts === '' ? [] : [{ type: 'ScalerInDoubt', message: doubts } as const]),
  ];
}

/** No Service is there to hold it. */
function idleTraffic(canary: Canary): string | undefined {
  const [first] = idleTrafficFields(canary);
  return first && `${first.path}: ${first.message}`;
}

import type { Metric } from '../api/canary.ts';
import type { Measurement } from './providers/metric-provider.ts';

/**
 * Why so few requests say nothing, where the metric sets a minimum; undefined when there are enough of them, or no minimum. No request at
 * all may be no series at all. `query` counts the requests in the metric's window.
 */
export async function lowTraffic(
  { minimumRequests }: Metric,
  query: string | undefined,
  run: (query: string) => Promise<Measurement>,
): Promise<Measurement | undefined> {
  if (minimumRequests === undefined) return undefined;
  if (query === undefined) return { kind: 'error', reason: 'minimumRequests needs trafficQuery, which counts the requests' };
  const counted = await run(query);
  if (counted.kind === 'error') return { ...counted, reason: `the requests could not be counted: ${counted.reason}` };
  const requests = counted.kind === 'value' ? counted.value : 0;
  if (requests >= minimumRequests) return undefined;
  const shown = Number(requests.toFixed(1));
  return { kind: 'noData', reason: `${shown} requests are too few to judge by, minimumRequests is ${minimumRequests}` };
}

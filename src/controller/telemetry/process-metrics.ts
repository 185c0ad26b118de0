import type { Registry } from '@prometheus-io/client';
import { metersIn } from '../../base/meters.ts';
import type { PacingFigures } from '../../kube/request-pacing.ts';
import type { CallFigures } from '../outgoing/outgoing-calls.ts';

interface WatchFigures {
  ageMs: number;
  restarts: number;
}

/** Figures of a running controller, read at each scrape and not in between. */
export interface Inspected {
  watches(): readonly (WatchFigures & { kind: string })[];
  /** Messages that have no answer of their receiver yet. */
  deliveries(): number;
  calls(): readonly CallFigures[];
}

const KINDS = '`kind` is query, message, gate, large_answer, or lookup';
const callGauges = [
  ['serin_outgoing_calls', `Outgoing calls under way; ${KINDS}`, 'running'],
  ['serin_outgoing_calls_waiting', `Outgoing calls that wait until their namespace, or Serin, has fewer under way; ${KINDS}`, 'waiting'],
  ['serin_outgoing_calls_refused', `Outgoing calls that waited too long and were not made, since the start; ${KINDS}`, 'refused'],
] as const;

const watchGauges = [
  [
    'serin_watch_age_seconds',
    'Time since a watch of the kind received anything; of several watches the longest',
    ({ ageMs }: WatchFigures) => ageMs / 1000,
  ],
  ['serin_watch_restarts', 'Restarts of the open watches of a kind', ({ restarts }: WatchFigures) => restarts],
] as const;

const retryGauges = [
  ['serin_api_retries_waiting', 'Requests to the API server that failed and wait for the budget of retries', 'retriesWaiting'],
  ['serin_api_retries_held', 'Requests to the API server that had to wait for the budget of retries, since the start', 'retriesHeld'],
] as const;

const writeGauges = [
  ['serin_api_writes_limit', 'Largest number of writes to the API server at once, by resource', 'limit'],
  ['serin_api_writes', 'Writes to the API server under way, by resource', 'underWay'],
  ['serin_api_writes_waiting', 'Writes that wait until fewer of their resource are under way', 'waiting'],
] as const;

/** This process: its API requests, watches and deliveries, and whether it leads. */
export function processMetrics(registry: Registry, version: string) {
  const { counter, gauge, gaugeOf, histogram } = metersIn(registry);
  let inspected: Inspected | undefined;
  let pacings: readonly { figures(): PacingFigures }[] = [];
  const pacing = () => pacings.map((one) => one.figures());
  const info = gauge('flagger_info', 'Version and mesh provider', ['version', 'mesh_provider']);
  const leader = gauge('serin_leader', '1 if this replica looks after the Canaries, 0 if it is a standby');
  const shards = gauge(
    'serin_shard_held',
    '1 if this replica looks after the Canaries of the shard, otherwise 0. Without shards only the leader has it, for shard 0',
    ['shard'],
  );
  const requests = counter('serin_api_requests_total', 'Requests to the API server', ['verb', 'resource', 'status']);
  const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10];
  const requestSeconds = histogram('serin_api_request_duration_seconds', 'Duration of requests to the API server', ['verb'], buckets);
  for (const [name, help, of] of watchGauges)
    gaugeOf(name, help, () => [...byKind(inspected)].map(([kind, figures]) => [{ kind }, of(figures)]), 'kind');
  const undelivered = 'Events, hooks and alerts that wait for the answer of their receiver';
  gaugeOf('serin_delivery_queue_depth', undelivered, () => [[{}, inspected?.deliveries() ?? 0]]);
  for (const [name, help, of] of callGauges)
    gaugeOf(name, help, () => (inspected?.calls() ?? []).map((figures) => [{ kind: figures.kind }, figures[of]]), 'kind');
  const writes = () => pacing().flatMap((one) => one.writes);
  for (const [name, help, of] of writeGauges)
    gaugeOf(name, help, () => writes().map((figures) => [{ resource: figures.resource }, figures[of]]), 'resource');
  for (const [name, help, of] of retryGauges) gaugeOf(name, help, () => [[{}, pacing().reduce((sum, figures) => sum + figures[of], 0)]]);
  info.set({ version, mesh_provider: '' }, 1);
  leader.set(0);
  let count = 1;
  const showShards = (held: readonly number[]): void => {
    shards.reset();
    // A shard that no replica holds also has a series: an alert needs one.
    for (let shard = 0; count > 1 && shard < count; shard += 1) shards.set({ shard: String(shard) }, 0);
    for (const shard of held) shards.set({ shard: String(shard) }, 1);
  };
  return {
    /** The Canaries are divided into so many shards. */
    divided(into: number): void {
      count = into;
      showShards([]);
    },
    /** Shows how writes and retries of these clients are paced. */
    paced(clients: readonly { figures(): PacingFigures }[]): void {
      pacings = clients;
    },
    started(meshProvider: string): void {
      info.reset();
      info.set({ version, mesh_provider: meshProvider }, 1);
    },
    /** `held`: the shards that this replica looks after. */
    leads(now: Inspected, held: readonly number[] = [0]): void {
      inspected = now;
      leader.set(1);
      showShards(held);
    },
    standsBy(): void {
      inspected = undefined;
      leader.set(0);
      showShards([]);
    },
    requested(request: { verb: string; resource: string; status: number; durationMs: number }): void {
      requests.inc({ verb: request.verb, resource: request.resource, status: String(request.status) });
      requestSeconds.observe({ verb: request.verb }, request.durationMs / 1000);
    },
  };
}

function byKind(inspected: Inspected | undefined): Map<string, WatchFigures> {
  const kinds = new Map<string, WatchFigures>();
  for (const { kind, ageMs, restarts } of inspected?.watches() ?? []) {
    const known = kinds.get(kind) ?? { ageMs: 0, restarts: 0 };
    kinds.set(kind, { ageMs: Math.max(known.ageMs, ageMs), restarts: known.restarts + restarts });
  }
  return kinds;
}

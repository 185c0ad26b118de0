import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { PacingFigures } from '../../kube/request-pacing.ts';
import type { CallFigures } from '../outgoing/outgoing-calls.ts';

/** Figures of a running controller, read at each scrape and not in between. */
export interface Inspected {
  watches(): readonly { kind: string; ageMs: number; restarts: number }[];
  /** Messages that have no answer of their receiver yet. */
  deliveries(): number;
  calls(): readonly CallFigures[];
}

const KINDS = '`kind` is query, message, gate, large_answer, or lookup';
const callGauges = [
  { name: 'serin_outgoing_calls', help: `Outgoing calls under way; ${KINDS}`, of: 'running' },
  {
    name: 'serin_outgoing_calls_waiting',
    help: `Outgoing calls that wait until their namespace, or Serin, has fewer under way; ${KINDS}`,
    of: 'waiting',
  },
  {
    name: 'serin_outgoing_calls_refused',
    help: `Outgoing calls that waited too long and were not made, since the start; ${KINDS}`,
    of: 'refused',
  },
] as const;

const writeGauges = [
  { name: 'serin_api_writes_limit', help: 'Writes to the API server that may be under way at once, by resource', of: 'limit' },
  { name: 'serin_api_writes', help: 'Writes to the API server under way, by resource', of: 'underWay' },
  { name: 'serin_api_writes_waiting', help: 'Writes that wait until fewer of their resource are under way', of: 'waiting' },
] as const;

/** This process: its API requests, watches and deliveries, and whether it leads. */
export function processMetrics(registry: Registry, version: string) {
  const registers = [registry];
  let inspected: Inspected | undefined;
  let pacings: readonly { figures(): PacingFigures }[] = [];
  const pacing = () => pacings.map((one) => one.figures());
  const info = new Gauge({ name: 'flagger_info', help: 'Version and mesh provider', labelNames: ['version', 'mesh_provider'], registers });
  const leader = new Gauge({ name: 'serin_leader', help: '1: this replica looks after the Canaries; 0: it stands by', registers });
  const shards = new Gauge({
    name: 'serin_shard_held',
    help: '1: this replica looks after the Canaries of the shard; only with several shards',
    labelNames: ['shard'],
    registers,
  });
  const requests = new Counter({
    name: 'serin_api_requests_total',
    help: 'Requests to the API server',
    labelNames: ['verb', 'resource', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'serin_api_request_duration_seconds',
    help: 'How long the API server took',
    labelNames: ['verb'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  });
  new Gauge({
    name: 'serin_watch_age_seconds',
    help: 'Since anything was heard on the watches of a kind; of several, the one that was silent for longest',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, { ageMs }] of byKind(inspected)) this.set({ kind }, ageMs / 1000);
    },
  });
  new Gauge({
    name: 'serin_watch_restarts',
    help: 'How often the open watches of a kind were opened again',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, { restarts }] of byKind(inspected)) this.set({ kind }, restarts);
    },
  });
  new Gauge({
    name: 'serin_delivery_queue_depth',
    help: 'Events, hooks and alerts that wait for the answer of their receiver',
    registers,
    collect() {
      this.set(inspected?.deliveries() ?? 0);
    },
  });
  for (const { name, help, of } of callGauges)
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset();
        for (const figures of inspected?.calls() ?? []) this.set({ kind: figures.kind }, figures[of]);
      },
    });
  for (const { name, help, of } of writeGauges)
    new Gauge({
      name,
      help,
      labelNames: ['resource'],
      registers,
      collect() {
        this.reset();
        for (const figures of pacing().flatMap(({ writes }) => writes)) this.inc({ resource: figures.resource }, figures[of]);
      },
    });
  new Gauge({
    name: 'serin_api_retries_waiting',
    help: 'Requests to the API server that failed and wait for the budget of retries',
    registers,
    collect() {
      this.set(pacing().reduce((sum, { retriesWaiting }) => sum + retriesWaiting, 0));
    },
  });
  new Gauge({
    name: 'serin_api_retries_held',
    help: 'Requests to the API server that had to wait for the budget of retries, since the start',
    registers,
    collect() {
      this.set(pacing().reduce((sum, { retriesHeld }) => sum + retriesHeld, 0));
    },
  });
  info.set({ version, mesh_provider: '' }, 1);
  leader.set(0);
  return {
    /** Shows how writes and retries of these clients are paced. */
    paced(clients: readonly { figures(): PacingFigures }[]): void {
      pacings = clients;
    },
    started(meshProvider: string): void {
      info.reset();
      info.set({ version, mesh_provider: meshProvider }, 1);
    },
    leads(now: Inspected): void {
      inspected = now;
      leader.set(1);
    },
    holds(shard: number, isHeld: boolean): void {
      if (isHeld) shards.set({ shard: String(shard) }, 1);
      else shards.remove({ shard: String(shard) });
    },
    standsBy(): void {
      inspected = undefined;
      leader.set(0);
    },
    requested(request: { verb: string; resource: string; status: number; durationMs: number }): void {
      requests.inc({ verb: request.verb, resource: request.resource, status: String(request.status) });
      requestSeconds.observe({ verb: request.verb }, request.durationMs / 1000);
    },
  };
}

function byKind(inspected: Inspected | undefined): Map<string, { ageMs: number; restarts: number }> {
  const kinds = new Map<string, { ageMs: number; restarts: number }>();
  for (const { kind, ageMs, restarts } of inspected?.watches() ?? []) {
    const known = kinds.get(kind) ?? { ageMs: 0, restarts: 0 };
    kinds.set(kind, { ageMs: Math.max(known.ageMs, ageMs), restarts: known.restarts + restarts });
  }
  return kinds;
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Canary } from '../api/canary.ts';
import type { Phase } from '../api/phase.ts';
import { verdictMetrics } from './verdict-metrics.ts';

const STATUS: Partial<Record<Phase, number>> = { Progressing: 0, Failed: 2 };

/** What the controller exports, under the established names (reference 02 §13) and a few of our own. */
export function createControllerMetrics(version: string) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const info = new Gauge({ name: 'flagger_info', help: 'Version and mesh provider', labelNames: ['version', 'mesh_provider'], registers });
  const total = new Gauge({ name: 'flagger_canary_total', help: 'Canaries by namespace', labelNames: ['namespace'], registers });
  const status = new Gauge({
    name: 'flagger_canary_status',
    help: '0 releasing, 1 at rest, 2 failed',
    labelNames: ['name', 'namespace'],
    registers,
  });
  const weights = new Gauge({
    name: 'flagger_canary_weight',
    help: 'Percent of traffic',
    labelNames: ['workload', 'namespace'],
    registers,
  });
  const successes = new Counter({
    name: 'flagger_canary_successes_total',
    help: 'Promoted releases',
    labelNames: ['name', 'namespace'],
    registers,
  });
  const failures = new Counter({
    name: 'flagger_canary_failures_total',
    help: 'Failed releases',
    labelNames: ['name', 'namespace'],
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
  const checks = verdictMetrics(registry);
  info.set({ version, mesh_provider: '' }, 1);
  return {
    registry,
    measured: checks.measured,
    started(meshProvider: string): void {
      info.reset();
      info.set({ version, mesh_provider: meshProvider }, 1);
    },
    /** One Canary more or less. */
    counted(namespace: string, change: 1 | -1): void {
      total.inc({ namespace }, change);
    },
    phaseChanged(canary: Canary, phase: Phase): void {
      const labels = { name: canary.spec.targetRef.name, namespace: canary.metadata.namespace };
      status.set(labels, STATUS[phase] ?? 1);
      if (phase === 'Succeeded') successes.inc(labels);
      if (phase === 'Failed') failures.inc(labels);
    },
    weighed(canary: Canary, canaryWeight: number): void {
      const { namespace } = canary.metadata;
      weights.set({ workload: canary.spec.targetRef.name, namespace }, canaryWeight);
      weights.set({ workload: `${canary.spec.targetRef.name}-primary`, namespace }, 100 - canaryWeight);
    },
    /** A Canary that is gone leaves no series behind. */
    gone(namespace: string, target: string): void {
      status.remove({ name: target, namespace });
      weights.remove({ workload: target, namespace });
      weights.remove({ workload: `${target}-primary`, namespace });
      checks.gone(namespace, target);
    },
    requested(request: { verb: string; resource: string; status: number; durationMs: number }): void {
      requests.inc({ verb: request.verb, resource: request.resource, status: String(request.status) });
      requestSeconds.observe({ verb: request.verb }, request.durationMs / 1000);
    },
  };
}
export type ControllerMetrics = ReturnType<typeof createControllerMetrics>;

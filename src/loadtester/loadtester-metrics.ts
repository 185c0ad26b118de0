import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { runtimeMetrics } from '../api/runtime-metrics.ts';
import type { Task } from './task.ts';

/** Why a request was not done. */
export type RejectReason = 'caller' | 'namespace' | 'payload' | 'command' | 'busy';

export interface LoadTesterMetrics {
  registry: Registry;
  started(task: Task): void;
  ended(task: Task): void;
  refused(why: RejectReason): void;
}

export function createLoadTesterMetrics(version: string): LoadTesterMetrics {
  const registry = new Registry();
  const registers = [registry];
  runtimeMetrics(registry);
  new Gauge({ name: 'loadtester_info', help: 'Version', labelNames: ['version'], registers }).set({ version }, 1);
  const tasks = new Counter({
    name: 'loadtester_tasks_total',
    help: 'Tasks that have ended; result is succeeded, failed, timeout or stopped',
    labelNames: ['type', 'result'],
    registers,
  });
  const running = new Gauge({ name: 'loadtester_tasks_running', help: 'Tasks that run now', labelNames: ['type'], registers });
  const duration = new Histogram({
    name: 'loadtester_task_duration_seconds',
    help: 'How long tasks took',
    labelNames: ['type'],
    buckets: [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600],
    registers,
  });
  const rejections = new Counter({
    name: 'loadtester_requests_refused_total',
    help: 'Requests that were refused; why is caller, namespace, payload, command or busy',
    labelNames: ['why'],
    registers,
  });
  return {
    registry,
    started: ({ type }) => running.inc({ type }),
    ended({ type, now }) {
      running.dec({ type });
      if (now.state === 'running') return;
      tasks.inc({ type, result: now.state });
      duration.observe({ type }, now.tookMs / 1000);
    },
    refused: (why) => rejections.inc({ why }),
  };
}

import { Registry } from '@prometheus-io/client';
import { metersIn } from '../base/meters.ts';
import { runtimeMetrics } from '../base/runtime-metrics.ts';
import type { Task } from './task.ts';

/** Reason for which a request was not carried out. */
export type RejectReason = 'caller' | 'namespace' | 'payload' | 'command' | 'busy';

export interface LoadTesterMetrics {
  registry: Registry;
  started(task: Task): void;
  ended(task: Task): void;
  refused(why: RejectReason): void;
}

export function createLoadTesterMetrics(version: string): LoadTesterMetrics {
  const registry = new Registry();
  runtimeMetrics(registry);
  const { counter, gauge, histogram } = metersIn(registry);
  gauge('loadtester_info', 'Version', ['version']).set({ version }, 1);
  const ofTasks = 'Tasks that have ended; result is succeeded, failed, timeout or stopped';
  const tasks = counter('loadtester_tasks_total', ofTasks, ['type', 'result']);
  const running = gauge('loadtester_tasks_running', 'Tasks that run now', ['type']);
  const buckets = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
  const duration = histogram('loadtester_task_duration_seconds', 'Duration of tasks', ['type'], buckets);
  const ofRefusals = 'Requests that were refused; why is caller, namespace, payload, command or busy';
  const rejections = counter('loadtester_requests_refused_total', ofRefusals, ['why']);
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

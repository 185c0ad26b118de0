import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import type { Environment } from './environment.ts';
import { monotonicMs, sleep } from './world.ts';

const HPA = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' } as const;
const WINDOW_MS = 2_000;
/** Tolerance of the real autoscaler: a smaller difference does not scale. */
const TOLERANCE = 0.1;

export interface Autoscaler {
  /** Reasons of failed writes; it tries again. */
  errors(): string[];
  stop(): Promise<void>;
}

/**
 * Plays the HorizontalPodAutoscaler of a namespace by the real answers of its pods, on either cluster: neither has a metrics API. It scales a side down at
 * once, which makes a release dangerous, and does nothing at zero replicas.
 */
export function startAutoscaler(
  { cluster, nodes }: Environment,
  namespace: string,
  { perPod, everyMs = 1_000 }: { perPod: number; everyMs?: number },
): Autoscaler {
  const seen = new Map<string, { atMs: number; answered: number }[]>();
  const errors: string[] = [];
  let isRunning = true;

  /** Answers of a Deployment's pods in a second; pods younger than a window count as used at the target value. */
  const requestsPerSecond = (deployment: string, replicas: number): number => {
    const own = new RegExp(`^${namespace}/${deployment}-[a-z0-9]+-[a-z0-9]+$`);
    const nowMs = monotonicMs();
    let sum = 0;
    let measured = 0;
    for (const [pod, app] of nodes.apps()) {
      if (!own.test(pod)) continue;
      const counts = [...(seen.get(pod) ?? []), { atMs: nowMs, answered: app.answered() }];
      while (counts.length > 2 && (counts[1]?.atMs ?? nowMs) <= nowMs - WINDOW_MS) counts.shift();
      seen.set(pod, counts);
      const [first] = counts;
      if (!first || first.atMs > nowMs - WINDOW_MS) continue;
      sum += ((app.answered() - first.answered) * 1000) / (nowMs - first.atMs);
      measured += 1;
    }
    return sum + Math.max(0, replicas - measured) * perPod;
  };

  const scale = async (hpa: KubeObject): Promise<void> => {
    const ref = { ...raw(hpa).spec.scaleTargetRef, namespace };
    const replicas = raw(await cluster.get(ref))?.spec.replicas ?? 0;
    if (replicas === 0) return;
    const rate = requestsPerSecond(ref.name, replicas);
    const isNear = Math.abs(rate / (replicas * perPod) - 1) <= TOLERANCE;
    const wanted = isNear ? replicas : Math.ceil(rate / perPod);
    const bounded = Math.min(raw(hpa).spec.maxReplicas, Math.max(raw(hpa).spec.minReplicas ?? 1, wanted));
    if (bounded !== replicas) await cluster.patch(ref, { spec: { replicas: bounded } }, { subresource: 'scale' });
  };

  const live = async (): Promise<void> => {
    while (isRunning) {
      try {
        const { items } = await cluster.list({ ...HPA, namespace });
        for (const hpa of items) await scale({ ...hpa, ...HPA });
      } catch (error) {
        errors.push(String(error));
      }
      await sleep(everyMs);
    }
  };
  const running = live();
  return {
    errors: () => [...errors],
    async stop() {
      isRunning = false;
      await running;
    },
  };
}

/** The user's HPA of a Deployment. */
export function hpaOf(deployment: string, namespace: string, limits: { minReplicas: number; maxReplicas: number }): KubeObject {
  const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } };
  return {
    ...HPA,
    metadata: { name: deployment, namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: deployment },
      ...limits,
      metrics: [{ type: 'Resource', resource }],
    },
  };
}

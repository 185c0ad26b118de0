import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import type { HandClock } from '../clock.ts';
import { raw } from '../raw.ts';
import type { ModelNodes } from './nodes.ts';
import type { ModelServer } from './server.ts';

interface Shown {
  ref: ObjectRef;
  deployment: KubeObject;
  /** Bytes that it runs. */
  bytes: string;
  restarts: number;
  readySinceMs: number;
  last?: object;
}

/** Between the end of a container and its back-off, as its kubelet reports them. */
const BACK_OFF_AFTER_MS = 1_000;

/** A failure of a ready pod: its container ends, or it only loses its readiness. */
export type Failing = { how: 'exit' | 'oom' | 'flap'; ms: number };

/** Reasons of the condition DisruptionTarget. */
export type Disruption = 'EvictionByEvictionAPI' | 'DeletionByTaintManager' | 'TerminationByKubelet';

/**
 * The Pod objects of Deployments with one pod each, as their kubelet reports them. They show the pods of `ModelNodes`, and failures here also take effect
 * there.
 */
export class ModelPods {
  readonly #server: ModelServer;
  readonly #clock: HandClock;
  readonly #nodes: ModelNodes;
  /** Pods by the uid of the Deployment. */
  readonly #shown = new Map<string, Shown>();
  #count = 0;

  constructor(server: ModelServer, clock: HandClock, nodes: ModelNodes) {
    this.#server = server;
    this.#clock = clock;
    this.#nodes = nodes;
    server.api.store.subscribe(({ storeKey, type, object }) => {
      if (storeKey !== 'apps/deployments') return;
      if (type === 'DELETED') this.#gone(object.metadata.uid ?? '');
      else this.#follow(object);
    });
  }

  /** Milliseconds for which its pod has been ready, `undefined` if it is not ready. */
  readyForMs(deployment: KubeObject): number | undefined {
    const shown = this.#shown.get(deployment.metadata.uid ?? '');
    return shown === undefined || this.#nodes.isDown(deployment) ? undefined : this.#clock.monotonicMs() - shown.readySinceMs;
  }

  /** The pod stays; after `ms` it is ready again. Says whether there was a ready pod. */
  fail(deployment: KubeObject, { how, ms }: Failing): boolean {
    const shown = this.#shown.get(deployment.metadata.uid ?? '');
    if (shown === undefined || this.#nodes.isDown(deployment)) return false;
    if (how !== 'flap') {
      const finishedAt = new Date(this.#clock.nowMs()).toISOString();
      shown.last = {
        terminated: how === 'oom' ? { exitCode: 137, reason: 'OOMKilled', finishedAt } : { exitCode: 3, reason: 'Error', finishedAt },
      };
    }
    this.#report(shown, false, how === 'flap' ? { running: {} } : shown.last);
    this.#nodes.down(this.#current(shown) ?? deployment);
    const isStill = (): boolean => this.#shown.get(deployment.metadata.uid ?? '') === shown && this.#nodes.isDown(deployment);
    if (how !== 'flap' && ms > BACK_OFF_AFTER_MS)
      this.#clock.setTimer(BACK_OFF_AFTER_MS, () => {
        if (isStill()) this.#report(shown, false, { waiting: { reason: 'CrashLoopBackOff' } });
      });
    this.#clock.setTimer(ms, () => {
      if (!isStill()) return;
      if (how !== 'flap') shown.restarts += 1;
      shown.readySinceMs = this.#clock.monotonicMs();
      this.#report(shown, true);
      this.#nodes.up(deployment);
    });
    return true;
  }

  /** A drain, or a spot node that ends: the pod is deleted, and another pod is ready after `ms`. */
  evict(deployment: KubeObject, reason: Disruption, ms: number): boolean {
    const uid = deployment.metadata.uid ?? '';
    const shown = this.#shown.get(uid);
    if (shown === undefined || this.#nodes.isDown(deployment)) return false;
    this.#report(shown, false, { running: {} }, [{ type: 'DisruptionTarget', status: 'True', reason }]);
    this.#nodes.down(this.#current(shown) ?? deployment);
    this.#gone(uid);
    this.#clock.setTimer(ms, () => this.#nodes.up(deployment));
    return true;
  }

  #current({ deployment }: Shown): KubeObject | undefined {
    const { apiVersion, kind, metadata } = deployment;
    return this.#server.find({ apiVersion, kind, name: metadata.name, namespace: metadata.namespace ?? '' });
  }

  #follow(deployment: KubeObject): void {
    const { uid = '', name, namespace = '' } = deployment.metadata;
    const { replicas = 1, template } = raw(deployment).spec;
    const shown = this.#shown.get(uid);
    if (replicas === 0) this.#gone(uid);
    if (replicas === 0 || (raw(deployment).status?.availableReplicas ?? 0) === 0) return;
    const bytes = [...this.#nodes.runs(name, namespace)].at(-1) ?? '';
    if (bytes === '' || shown?.bytes === bytes) return;
    this.#gone(uid);
    this.#count += 1;
    const ref = { apiVersion: 'v1', kind: 'Pod', name: `${name}-x${this.#count}`, namespace };
    const pod: Shown = { ref, deployment, bytes, restarts: 0, readySinceMs: this.#clock.monotonicMs() };
    this.#shown.set(uid, pod);
    this.#server.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: ref.name, namespace, labels: template.metadata.labels },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    });
    this.#report(pod, true);
  }

  #gone(uid: string): void {
    const shown = this.#shown.get(uid);
    this.#shown.delete(uid);
    if (shown) this.#server.delete(shown.ref);
  }

  #report({ ref, restarts, last }: Shown, isReady: boolean, state: object = { running: {} }, others: readonly object[] = []): void {
    if (this.#server.find(ref) === undefined) return;
    const status = isReady ? 'True' : 'False';
    const reason = isReady ? {} : { reason: 'ContainersNotReady' };
    const conditions = [{ type: 'Ready', status, ...reason }, { type: 'ContainersReady', status, ...reason }, ...others];
    const container = { name: 'web', restartCount: restarts, state, ...(last && { lastState: last }) };
    this.#server.patch(ref, { status: { phase: 'Running', conditions, containerStatuses: [container] } }, 'status');
  }
}

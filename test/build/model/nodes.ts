import type { KubeObject } from '../../../src/api/kube-object.ts';
import { refOf } from '../../../src/api/kube-object.ts';
import type { HandClock } from '../clock.ts';
import type { ModelServer } from './server.ts';

/** Pods of this image never become ready. */
export const BROKEN_IMAGE = 'broken';

/**
 * Deployments that run: pods asked for become available after a while, a change of the template rolls without a gap, and pods that are
 * scaled away are gone in that moment, which is the worst that a router can meet.
 */
export class ModelNodes {
  readonly #server: ModelServer;
  readonly #clock: HandClock;
  readonly #startUpMs: () => number;
  readonly #rolled = new Map<string, string>();

  constructor(server: ModelServer, clock: HandClock, startUpMs: () => number) {
    this.#server = server;
    this.#clock = clock;
    this.#startUpMs = startUpMs;
    server.api.store.subscribe(({ storeKey, type, object, before }) => {
      if (storeKey !== 'apps/deployments') return;
      if (type === 'DELETED') this.#rolled.delete(object.metadata.uid ?? '');
      else if (object.metadata.generation !== before?.metadata.generation) queueMicrotask(() => this.#observe(object));
    });
  }

  /** Whether this Deployment can answer a request in this moment. */
  serves(name: string, namespace: string): boolean {
    const found = this.#server.find({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace });
    return (found?.spec.replicas ?? 0) > 0 && (found?.status?.availableReplicas ?? 0) > 0;
  }

  #observe(seen: KubeObject): void {
    const now = this.#current(seen);
    if (now === undefined) return;
    const uid = now.metadata.uid ?? '';
    const template = JSON.stringify(now.spec.template);
    const replicas: number = now.spec.replicas ?? 1;
    if (replicas === 0) {
      this.#rolled.set(uid, template);
      this.#report(now, { replicas: 0, updated: 0, available: 0 });
      return;
    }
    const isRolled = this.#rolled.get(uid) === template;
    const available: number = Math.min(replicas, now.status?.availableReplicas ?? 0);
    this.#report(now, { replicas, updated: isRolled || available === 0 ? replicas : 0, available });
    if (template.includes(`"${BROKEN_IMAGE}"`)) return;
    this.#clock.setTimer(this.#startUpMs(), () => {
      const later = this.#current(now);
      if (later === undefined || JSON.stringify(later.spec.template) !== template || (later.spec.replicas ?? 1) === 0) return;
      this.#rolled.set(uid, template);
      const count: number = later.spec.replicas ?? 1;
      this.#report(later, { replicas: count, updated: count, available: count });
    });
  }

  #current(seen: KubeObject): KubeObject | undefined {
    const found = this.#server.find(refOf(seen));
    return found?.metadata.uid === seen.metadata.uid ? found : undefined;
  }

  #report(deployment: KubeObject, pods: { replicas: number; updated: number; available: number }): void {
    const status = {
      observedGeneration: deployment.metadata.generation,
      replicas: pods.replicas,
      updatedReplicas: pods.updated,
      readyReplicas: pods.available,
      availableReplicas: pods.available,
    };
    this.#server.patch(refOf(deployment), { status }, 'status');
  }
}

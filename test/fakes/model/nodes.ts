import type { KubeObject } from '../../../src/api/kube-object.ts';
import { refOf } from '../../../src/api/kube-object.ts';
import type { HandClock } from '../clock.ts';
import { raw } from '../raw.ts';
import { podBytes } from './pod-bytes.ts';
import type { ModelServer } from './server.ts';

/** Pods of this image never become ready. */
export const BROKEN_IMAGE = 'broken';
/** Pause until a pod looks again for a config that it needs. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Deployments that run: requested pods become available after a while, a change of the template rolls without a gap, and pods that are scaled away are gone at
 * once, which is the worst case for a router.
 */
export class ModelNodes {
  readonly #server: ModelServer;
  readonly #clock: HandClock;
  readonly #startUpMs: () => number;
  /** Around the moment in which pods read their configs. */
  aroundRead: (read: () => void) => void = (read) => read();
  /** Time for the Deployment controller to observe a change, in milliseconds. 0: before any watch reports the change. */
  observesAfterMs = 0;
  /** Generation, template and replicas that its controller uses until it observes the next change. */
  readonly #observed = new Map<string, { generation: number | undefined; template: string; replicas: number }>();
  readonly #rolled = new Map<string, string>();
  /** The templates that each has had, as its controller counts them. */
  readonly #counted = new Map<string, { template: string; number: number }>();
  /** Number of times that each was scaled to zero: pods that were starting then have ended. */
  readonly #eras = new Map<string, number>();
  /** Bytes that the available pods of each Deployment read when they started. */
  readonly #runs = new Map<string, { count: number; bytes: ReadonlySet<string> }>();
  /** Uids of those whose pods have crashed, are not ready, or were evicted. */
  readonly #down = new Set<string>();
  /** When others were ready in their place, or they were again. */
  readonly #backAtMs = new Map<string, number>();

  constructor(server: ModelServer, clock: HandClock, startUpMs: () => number) {
    this.#server = server;
    this.#clock = clock;
    this.#startUpMs = startUpMs;
    server.api.store.subscribe(({ storeKey, type, object, before }) => {
      if (storeKey !== 'apps/deployments') return;
      if (type === 'DELETED') this.#end(object.metadata.uid ?? '');
      else if (object.metadata.generation !== before?.metadata.generation) this.#observeSoon(object);
    });
  }

  /** True if this Deployment can answer a request at this moment. */
  serves(name: string, namespace: string): boolean {
    const found = this.#server.find({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace });
    return (raw(found)?.spec.replicas ?? 0) > 0 && (raw(found)?.status?.availableReplicas ?? 0) > 0;
  }

  /** Bytes of its available pods: several entries while pods are replaced. */
  runs(name: string, namespace: string): ReadonlySet<string> {
    const found = this.#server.find({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace });
    return this.#runs.get(found?.metadata.uid ?? '')?.bytes ?? new Set();
  }

  /** Its pods no longer serve until `up`, or until it is rolled or scaled to zero. */
  down(deployment: KubeObject): void {
    this.#down.add(deployment.metadata.uid ?? '');
    const { replicas = 0, updatedReplicas = 0 } = raw(deployment).status ?? {};
    this.#report(deployment, { replicas, updated: updatedReplicas, available: 0 });
  }

  up(deployment: KubeObject): void {
    const uid = deployment.metadata.uid ?? '';
    if (!this.#back(uid)) return;
    const current = this.#current(deployment);
    const available = Math.min(this.#observed.get(uid)?.replicas ?? 0, this.#runs.get(uid)?.count ?? 0);
    if (current && available > 0) this.#report(current, { ...this.#made(uid), available });
  }

  /** Existing pods: pods of the previous template remain until the new pods are ready. */
  #made(uid: string): { replicas: number; updated: number } {
    const { replicas = 0, template } = this.#observed.get(uid) ?? {};
    const old = this.#rolled.get(uid) === template ? 0 : Math.min(replicas, this.#runs.get(uid)?.count ?? 0);
    return { replicas: old + replicas, updated: replicas };
  }

  isDown(deployment: KubeObject): boolean {
    return this.#down.has(deployment.metadata.uid ?? '');
  }

  /** True if its pods were down at that time, or later. */
  wasDown(deployment: KubeObject, sinceMs: number): boolean {
    return this.isDown(deployment) || (this.#backAtMs.get(deployment.metadata.uid ?? '') ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }

  #back(uid: string): boolean {
    if (!this.#down.delete(uid)) return false;
    this.#backAtMs.set(uid, this.#clock.monotonicMs());
    return true;
  }

  #observeSoon(object: KubeObject): void {
    if (this.observesAfterMs > 0) this.#clock.setTimer(this.observesAfterMs, () => this.#observe(object));
    else queueMicrotask(() => this.#observe(object));
  }

  #end(uid: string): void {
    this.#forget(uid);
    this.#counted.delete(uid);
    this.#observed.delete(uid);
  }

  #forget(uid: string): void {
    this.#rolled.delete(uid);
    this.#runs.delete(uid);
    this.#down.delete(uid);
    this.#eras.set(uid, this.#era(uid) + 1);
  }

  #era(uid: string): number {
    return this.#eras.get(uid) ?? 0;
  }

  #observe(seen: KubeObject): void {
    const current = this.#current(seen);
    if (current === undefined) return;
    const template = JSON.stringify(raw(current).spec.template);
    const now = this.#count(current, template);
    const uid = now.metadata.uid ?? '';
    const replicas: number = raw(now).spec.replicas ?? 1;
    this.#observed.set(uid, { generation: now.metadata.generation, template, replicas });
    if (replicas === 0) {
      this.#forget(uid);
      this.#rolled.set(uid, template);
      this.#report(now, { replicas: 0, updated: 0, available: 0 });
      return;
    }
    const available: number = Math.min(replicas, raw(now).status?.availableReplicas ?? 0);
    this.#report(now, { ...this.#made(uid), available });
    if (template.includes(`"${BROKEN_IMAGE}"`)) return;
    const startUpMs = this.#startUpMs();
    const era = this.#era(uid);
    const isCurrent = () => {
      const isWanted = this.#era(uid) === era && this.#observed.get(uid)?.template === template;
      return isWanted ? this.#current(now) : undefined;
    };
    // Pods read their configs on the way.
    const read = (): void => {
      const bytes = isCurrent() && this.#readBy(now);
      if (bytes === undefined) {
        if (isCurrent()) this.#clock.setTimer(LOOK_AGAIN_MS, read);
        return;
      }
      this.#clock.setTimer(startUpMs / 2, () => {
        const later = isCurrent();
        if (later === undefined) return;
        const before = this.#rolled.get(uid) === template ? this.#runs.get(uid) : undefined;
        if (before === undefined) this.#back(uid);
        this.#rolled.set(uid, template);
        const count = this.#observed.get(uid)?.replicas ?? 0;
        const isStarted = before === undefined || count > before.count;
        this.#runs.set(uid, { count, bytes: isStarted ? new Set([...(before?.bytes ?? []), bytes]) : before.bytes });
        this.#report(later, { replicas: count, updated: count, available: count });
      });
    };
    this.#clock.setTimer(startUpMs / 2, read);
  }

  /** Before anything of it is observed. */
  #count(deployment: KubeObject, template: string): KubeObject {
    const uid = deployment.metadata.uid ?? '';
    const before = this.#counted.get(uid);
    if (before?.template === template) return deployment;
    const number = (before?.number ?? 0) + 1;
    this.#counted.set(uid, { template, number });
    const annotations = { 'deployment.kubernetes.io/revision': String(number) };
    return this.#server.patch(refOf(deployment), { metadata: { annotations } });
  }

  #readBy(deployment: KubeObject): string | undefined {
    let bytes: string | undefined;
    this.aroundRead(() => {
      bytes = podBytes(raw(deployment).spec.template, (kind, name) => this.#config(deployment, kind, name));
    });
    return bytes;
  }

  #config({ metadata: { namespace = '' } }: KubeObject, kind: 'ConfigMap' | 'Secret', name: string): KubeObject | undefined {
    return this.#server.find({ apiVersion: 'v1', kind, name, namespace });
  }

  #current(seen: KubeObject): KubeObject | undefined {
    const found = this.#server.find(refOf(seen));
    return found?.metadata.uid === seen.metadata.uid ? found : undefined;
  }

  #report(deployment: KubeObject, pods: { replicas: number; updated: number; available: number }): void {
    const uid = deployment.metadata.uid ?? '';
    const available = this.#down.has(uid) ? 0 : pods.available;
    const status = {
      observedGeneration: this.#observed.get(uid)?.generation,
      replicas: pods.replicas,
      updatedReplicas: pods.updated,
      readyReplicas: available,
      availableReplicas: available,
    };
    this.#server.patch(refOf(deployment), { status }, 'status');
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { isNotFound } from '../../../src/kube/errors.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { raw } from '../../fakes/raw.ts';
import { type Configs, faultOf } from './fault.ts';
import { type Moment, momentsOf, type PodEvent, statusAt } from './pod-lives.ts';

/**
 * Writes the statuses of pods that a real kubelet could not make ready, in the place of the embedded nodes, which place these pods, leave them at
 * `ContainerCreating`, and end them. Pods without a fault are theirs altogether. It is a client of the API server, on either cluster.
 */
export class PodPlayer {
  readonly #cluster: KubeCluster;
  readonly #configs = new Map<string, KubeObject>();
  readonly #playing = new Map<string, AbortController>();
  readonly #watches: { synced: Promise<unknown>; stop(): void }[];
  readonly #ofNamespaces: Configs = {
    configMap: (namespace, name) => this.#configs.get(`ConfigMap/${namespace}/${name}`),
    secret: (namespace, name) => this.#configs.get(`Secret/${namespace}/${name}`),
  };

  constructor(cluster: KubeCluster) {
    this.#cluster = cluster;
    this.#watches = [this.#follow('ConfigMap'), this.#follow('Secret'), this.#followPods()];
  }

  get synced(): Promise<unknown> {
    return Promise.all(this.#watches.map(({ synced }) => synced));
  }

  /** Tests if a real node could not make this pod ready now. */
  isFaulty(pod: KubeObject): boolean {
    return faultOf(pod, this.#ofNamespaces) !== undefined;
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
    for (const life of this.#playing.values()) life.abort();
  }

  #follow(kind: 'ConfigMap' | 'Secret') {
    const keyOf = ({ metadata }: KubeObject) => `${kind}/${metadata.namespace}/${metadata.name}`;
    return this.#cluster.watch(
      { apiVersion: 'v1', kind },
      {
        onList: (found) => {
          for (const object of found) this.#configs.set(keyOf(object), object);
        },
        onEvent: ({ type, object }) => {
          if (type === 'DELETED') this.#configs.delete(keyOf(object));
          else this.#configs.set(keyOf(object), object);
        },
      },
    );
  }

  #followPods() {
    return this.#cluster.watch(
      { apiVersion: 'v1', kind: 'Pod' },
      {
        onList: (pods) => {
          for (const pod of pods) this.#heed(pod);
        },
        onEvent: ({ type, object }) => (type === 'DELETED' ? this.#end(object) : this.#heed(object)),
      },
    );
  }

  #end({ metadata: { uid = '' } }: KubeObject): void {
    this.#playing.get(uid)?.abort();
    this.#playing.delete(uid);
  }

  #heed(pod: KubeObject): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) {
      this.#end(pod);
      return;
    }
    const reason = raw(pod).status?.containerStatuses?.[0]?.state?.waiting?.reason;
    if (this.#playing.has(uid) || reason !== 'ContainerCreating' || !this.isFaulty(pod)) return;
    const life = new AbortController();
    this.#playing.set(uid, life);
    void this.#play(pod, life.signal).catch((error: unknown) => {
      if (!life.signal.aborted && !isNotFound(error)) throw error;
    });
  }

  async #play(pod: KubeObject, signal: AbortSignal): Promise<void> {
    const fault = faultOf(pod, this.#ofNamespaces);
    if (fault === undefined) return;
    let now = pod;
    for (const moment of momentsOf(pod, fault)) {
      now = await this.#write(now, moment, signal);
      for (const event of moment.events) await this.#report(pod, event);
      await sleep(moment.lastsMs, undefined, { signal });
    }
  }

  #write(pod: KubeObject, moment: Moment, signal: AbortSignal): Promise<KubeObject> {
    const status = statusAt(pod, moment, now());
    return this.#cluster.patch(refOf(pod), { status }, { subresource: 'status', signal });
  }

  async #report(pod: KubeObject, { type, reason, message }: PodEvent): Promise<void> {
    const { name, namespace = '', uid } = pod.metadata;
    await this.#cluster.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${process.hrtime.bigint().toString(16)}`, namespace },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
      ...{ type, reason, message, count: 1, firstTimestamp: now(), lastTimestamp: now() },
      source: { component: 'kubelet', host: raw(pod).spec.nodeName },
    } as KubeObject);
  }
}

const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { StoreWrite } from '../embedded/apiserver/write-context.ts';

/** A ResourceQuota for the pods of one namespace; without a limit it allows all. */
export class PodQuota {
  readonly #namespace: string;
  readonly #pods = new Set<string>();
  #limit: number | undefined;

  constructor(namespace: string, limit: number | undefined) {
    this.#namespace = namespace;
    this.#limit = limit;
  }

  /** Default: as many as there are. */
  limitTo(pods = this.#pods.size): void {
    this.#limit = pods;
  }

  see({ before, object }: StoreWrite): void {
    const pod = object ?? before;
    if (pod?.kind !== 'Pod' || pod.metadata.namespace !== this.#namespace) return;
    if (object === undefined) this.#pods.delete(pod.metadata.name);
    else this.#pods.add(pod.metadata.name);
  }

  /** As kube-apiserver words it. */
  problemOf({ kind, metadata }: KubeObject): string | undefined {
    if (kind !== 'Pod' || metadata.namespace !== this.#namespace || this.#limit === undefined || this.#pods.size < this.#limit)
      return undefined;
    return `exceeded quota: rehearsal, requested: pods=1, used: pods=${this.#pods.size}, limited: pods=${this.#limit}`;
  }
}

/** The pods that the ResourceQuotas of manifests allow in a namespace. */
export function quotaIn(objects: readonly KubeObject[], namespace: string): number | undefined {
  const limits = objects
    .filter(({ kind, metadata }) => kind === 'ResourceQuota' && (metadata.namespace ?? namespace) === namespace)
    .map((object) => specOf<{ hard: Record<string, unknown> }>(object).hard)
    .flatMap((hard) => [hard?.pods, hard?.['count/pods']])
    .filter((limit) => limit !== undefined)
    .map(Number);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

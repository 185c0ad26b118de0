import type { KubeObject } from '../../src/api/kube-object.ts';
import type { ObjectChange } from '../../src/embedded/controllers/object-store.ts';
import { raw } from '../fakes/raw.ts';
import type { Side } from './life.ts';
import { APP } from './real-application.ts';
import type { RealPlane } from './real-plane.ts';
import type { PodFailed } from './world.ts';

/** Pause between two restarts of a container that ends repeatedly, without the first one: src/embedded/nodes/kubelet.ts. */
const BACK_OFF_MS = 10_000;

/** Time until another pod replaces a drained pod, if its side needs one. */
const REPLACED_WITHIN_MS = 10_000;

/** The pods of a namespace, and which of them failed. */
export class RealPods {
  readonly #plane: RealPlane;
  readonly #namespace: string;
  readonly #nowMs: () => number;
  readonly #failed: PodFailed[] = [];
  /** Uids of pods that were ready, are not, and stay. */
  readonly #down = new Set<string>();
  #lastDownMs = Number.NEGATIVE_INFINITY;
  readonly stop: () => void;

  constructor(plane: RealPlane, namespace: string, nowMs: () => number) {
    this.#plane = plane;
    this.#namespace = namespace;
    this.#nowMs = nowMs;
    this.stop = plane.hearPods(namespace, (change) => this.#changed(change));
  }

  ofSide(side: Side): KubeObject[] {
    return this.#plane.pods(this.#namespace).filter((pod) => sideOf(pod) === side && pod.metadata.deletionTimestamp === undefined);
  }

  ready(side: Side): KubeObject | undefined {
    return this.ofSide(side).find(isReady);
  }

  failed(): readonly PodFailed[] {
    return this.#failed.splice(0);
  }

  /** True if a pod has been down since that time. */
  wasAnyDown(sinceMs: number): boolean {
    return this.#down.size > 0 || this.#lastDownMs >= sinceMs;
  }

  /** One pod is taken from its node, and another one replaces it. */
  drained(side: Side, forMs: number): void {
    this.#lastDownMs = this.#nowMs() + REPLACED_WITHIN_MS;
    this.#failed.push({ side, how: 'drain', atMs: this.#nowMs(), forMs });
  }

  #changed({ previous, next }: ObjectChange): void {
    const pod = next ?? previous;
    const side = pod && sideOf(pod);
    if (pod === undefined || side === undefined) return;
    const { uid = '' } = pod.metadata;
    if (this.#down.size > 0) this.#lastDownMs = Math.max(this.#lastDownMs, this.#nowMs());
    if (next === undefined || next.metadata.deletionTimestamp !== undefined || isReady(next)) this.#down.delete(uid);
    else if (previous && isReady(previous) && !isDisrupted(next)) {
      this.#down.add(uid);
      this.#failed.push({ side, how: 'crash', atMs: this.#nowMs(), forMs: unreadyForMs(next) });
    }
  }
}

function sideOf({ metadata: { name } }: KubeObject): Side | undefined {
  if (name.startsWith(`${APP}-primary-`)) return 'primary';
  return name.startsWith(`${APP}-`) ? 'target' : undefined;
}

const hasCondition = (pod: KubeObject, wanted: string): boolean =>
  (raw(pod).status?.conditions ?? []).some(({ type, status }: { type: string; status: string }) => type === wanted && status === 'True');
const isReady = (pod: KubeObject): boolean => hasCondition(pod, 'Ready');
const isDisrupted = (pod: KubeObject): boolean => hasCondition(pod, 'DisruptionTarget');

/** Time until a pod that has just become unready is ready again, by the kubelet's back-off. */
function unreadyForMs(pod: KubeObject): number {
  const [container] = raw(pod).status?.containerStatuses ?? [];
  if (container?.state?.terminated === undefined) return 0;
  return container.restartCount === 0 ? 0 : BACK_OFF_MS * 2 ** (container.restartCount - 1);
}

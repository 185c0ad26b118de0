import { APP, type ModelLab, NAMESPACE, targetRef } from './lab.ts';

/** Back-off of a kubelet: 10 s, doubled with each end, 300 s at most. */
const BACK_OFF_MS = { from: 10_000, to: 300_000 };

/** The one pod of the canary, and what its kubelet and the controllers of its Deployment report of it. */
export class CanaryPod {
  readonly #lab: ModelLab;
  #restarts = 0;
  #number = 0;
  #last: object | undefined;

  constructor(lab: ModelLab) {
    this.#lab = lab;
    this.#create();
  }

  get name(): string {
    return `${APP}-x${this.#number}`;
  }

  /** The container ends, waits for its back-off, and runs again. */
  async crash(exitCode: number, reason = 'Error'): Promise<void> {
    this.#last = { terminated: { exitCode, reason, finishedAt: new Date(this.#lab.clock.nowMs()).toISOString() } };
    this.#report(false, this.#last);
    await this.#lab.pass(1_000);
    this.#report(false, { waiting: { reason: 'CrashLoopBackOff' } });
    await this.#lab.pass(Math.min(BACK_OFF_MS.to, BACK_OFF_MS.from * 2 ** this.#restarts));
    this.#restarts += 1;
    this.#report(true);
  }

  /** Its readiness probe fails, and passes again. */
  async flap(ms: number): Promise<void> {
    this.#report(false);
    await this.#lab.pass(ms);
    this.#report(true);
  }

  /** Evicted by a drain, or with its spot node; another one takes its place. */
  async evict(reason: string, ms: number): Promise<void> {
    this.#report(false, undefined, [{ type: 'DisruptionTarget', status: 'True', reason }]);
    this.#lab.server.delete({ apiVersion: 'v1', kind: 'Pod', name: this.name, namespace: NAMESPACE });
    await this.#lab.pass(ms);
    this.#number += 1;
    this.#restarts = 0;
    this.#last = undefined;
    this.#create();
  }

  #create(): void {
    const metadata = { name: this.name, namespace: NAMESPACE, labels: { app: APP } };
    this.#lab.server.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'web', image: 'web' }] } });
    this.#report(true);
  }

  #report(isReady: boolean, state: object = { running: {} }, others: readonly object[] = []): void {
    const status = isReady ? 'True' : 'False';
    const reason = isReady ? {} : { reason: 'ContainersNotReady' };
    const conditions = [{ type: 'Ready', status, ...reason }, { type: 'ContainersReady', status, ...reason }, ...others];
    const container = { name: 'web', restartCount: this.#restarts, state, ...(this.#last && { lastState: this.#last }) };
    const { server } = this.#lab;
    const ref = { apiVersion: 'v1', kind: 'Pod', name: this.name, namespace: NAMESPACE };
    server.patch(ref, { status: { phase: 'Running', conditions, containerStatuses: [container] } }, 'status');
    const available = isReady ? 1 : 0;
    server.patch(targetRef, { status: { readyReplicas: available, availableReplicas: available } }, 'status');
  }
}

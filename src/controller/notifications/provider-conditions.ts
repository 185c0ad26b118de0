import type { CanaryCondition } from '../../api/canary-status.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import type { Log } from '../log.ts';

/** A condition of a MetricTemplate or AlertProvider. */
export type ConditionUpdate = Pick<CanaryCondition, 'type' | 'status' | 'reason'> & { message: string };

interface ProviderConditionsDeps {
  cluster: Pick<Cluster, 'patch'>;
  clock: Clock;
  log: Log;
  /** The lease is ours. */
  mayWrite(): boolean;
  /** The answer of a write is the newest that is known of the object. */
  learn(object: KubeObject): unknown;
}

/** Between two writes of one condition: a backend that comes and goes is said now and then, and not each time. */
const PAUSE_MS = 60_000;
/** Another sentence for the same outcome is written only after this time: backends word their refusals differently each time. */
const REWORD_AFTER_MS = 600_000;

/**
 * Conditions on MetricTemplates and AlertProviders: written only when they change, each at most once a minute,
 * and nothing waits for them. Where they cannot be stored, by an older CRD or for want of a permission, that is logged once.
 */
export class ProviderConditions {
  readonly #deps: ProviderConditionsDeps;
  readonly #waiting = new Map<string, { object: KubeObject; said: Map<string, ConditionUpdate>; dueMs: number; cancel: () => void }>();
  readonly #writtenAtMs = new Map<string, number>();
  /** Kinds without stored conditions, and single objects that have no place for them. */
  readonly #deaf = new Set<string>();
  #stopped = false;

  constructor(deps: ProviderConditionsDeps) {
    this.#deps = deps;
  }

  /** `object`: its last seen version. */
  report(object: KubeObject, said: ConditionUpdate): void {
    const { uid = '' } = object.metadata;
    if (this.#stopped || this.#deaf.has(object.kind) || this.#deaf.has(uid)) return;
    const waiting = this.#waiting.get(uid);
    if (this.#isSaid(object, said)) {
      waiting?.said.delete(said.type);
      return;
    }
    const writtenAtMs = this.#writtenAtMs.get(`${uid} ${said.type}`);
    const nowMs = this.#deps.clock.monotonicMs();
    const dueMs = writtenAtMs === undefined ? nowMs : Math.max(nowMs, writtenAtMs + PAUSE_MS);
    const all = (waiting?.said ?? new Map<string, ConditionUpdate>()).set(said.type, said);
    if (waiting && waiting.dueMs <= dueMs) {
      waiting.object = object;
      return;
    }
    waiting?.cancel();
    const cancel = this.#deps.clock.setTimer(dueMs - nowMs, () => void this.#write(uid));
    this.#waiting.set(uid, { object, said: all, dueMs, cancel });
  }

  stop(): void {
    this.#stopped = true;
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  #isSaid(object: KubeObject, { type, status, reason, message }: ConditionUpdate): boolean {
    const stored = conditionsOf(object).find((one) => one.type === type);
    if (stored?.status !== status || stored.reason !== reason) return false;
    return stored.message === message || this.#deps.clock.nowMs() - Date.parse(stored.lastUpdateTime ?? '') < REWORD_AFTER_MS;
  }

  async #write(uid: string): Promise<void> {
    const waiting = this.#waiting.get(uid);
    this.#waiting.delete(uid);
    if (!waiting || waiting.said.size === 0 || this.#stopped || !this.#deps.mayWrite()) return;
    const { object, said } = waiting;
    const { cluster, clock, log, learn } = this.#deps;
    for (const type of said.keys()) this.#writtenAtMs.set(`${uid} ${type}`, clock.monotonicMs());
    const now = timestamp(clock.nowMs());
    const before = conditionsOf(object);
    const added = [...said.values()].map((one): CanaryCondition => {
      const old = before.find(({ type }) => type === one.type);
      const lastTransitionTime = old?.status === one.status ? (old.lastTransitionTime ?? now) : now;
      return { ...one, lastUpdateTime: now, lastTransitionTime, ...(generationOf(object) ?? {}) };
    });
    const conditions = [...before.filter(({ type }) => !said.has(type)), ...added];
    const patch = { metadata: { resourceVersion: object.metadata.resourceVersion }, status: { conditions } };
    try {
      const answer = await cluster.patch(refOf(object), patch, { subresource: 'status' });
      if (added.every(({ type }) => conditionsOf(answer).some((one) => one.type === type))) learn(answer);
      else this.#giveUp(object, 'its CRD keeps no conditions: run serin crds apply');
    } catch (error) {
      // After a conflict the watch brings the other version. The next report is compared with that, and need not wait.
      if (error instanceof ApiError && error.status === 409) for (const type of said.keys()) this.#writtenAtMs.delete(`${uid} ${type}`);
      if (!(error instanceof ApiError) || error.status === 409) return;
      // It has gone, or its CRD has no status.
      if (error.status === 404) this.#deaf.add(uid);
      else if (error.status === 403) this.#giveUp(object, `the permission to patch ${object.kind.toLowerCase()}s/status is missing`);
      else log.debug({ kind: object.kind, name: object.metadata.name, err: error }, 'conditions not written');
    }
  }

  #giveUp({ kind }: KubeObject, why: string): void {
    this.#deaf.add(kind);
    this.#deps.log.warn({ kind, reason: why }, 'conditions are not stored');
  }
}

function conditionsOf(object: KubeObject): CanaryCondition[] {
  const { conditions } = (object.status ?? {}) as { conditions?: unknown };
  return Array.isArray(conditions) ? conditions : [];
}

const generationOf = ({ metadata: { generation } }: KubeObject) =>
  generation === undefined ? undefined : { observedGeneration: generation };

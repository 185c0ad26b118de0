import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';

/** A release under way on some cluster, and what others can do to its objects. */
export interface LiveRelease {
  /** Nothing happens between two calls here, so that a test can look at an edit before Serin corrects it. */
  readonly isPausedBetweenCalls: boolean;
  find(ref: ObjectRef): Promise<KubeObject | undefined>;
  /** A PUT of another writer, over any existing object. */
  put(object: KubeObject): Promise<void>;
  create(object: KubeObject): Promise<void>;
  patch(ref: ObjectRef, patch: Record<string, unknown>): Promise<void>;
  delete(ref: ObjectRef): Promise<void>;
  /** Serin has had the time of one pass. `isSo` says in real time what a pass ends with. */
  onePass(isSo: () => Promise<boolean>): Promise<void>;
  /** Writes of Serin so far to any of these objects. */
  writes(refs: readonly ObjectRef[]): Promise<number>;
  /** The release goes on to its next weight. */
  nextStep(): Promise<void>;
  /** Milliseconds, in the time of the brakes. */
  nowMs(): number;
  /** Time goes on, for both. */
  wait(ms: number): Promise<void>;
  /** Gives Serin the time that it needs. */
  eventually(what: string, isSo: () => Promise<boolean>): Promise<void>;
}

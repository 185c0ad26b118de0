import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { APP } from '../scenario.ts';
import { until } from '../until.ts';

export type Env = Record<string, string>;

/** An application of one kind of target, in one namespace. */
export interface Application {
  /** Fields of the Canary: the target, and settings for its kind. */
  readonly spec: Record<string, unknown>;
  /** Checks by which a release of this kind can be judged. */
  readonly metrics: object[];
  /** Makes version 1 and waits until it runs. */
  create(): Promise<void>;
  /** The user's push of another version, whose pods behave as the env says. */
  push(version: string, env?: Env): Promise<void>;
  /** Waits until the promoted side runs this version. */
  primaryRuns(version: string): Promise<void>;
  /** Fields in the cluster that decide the pods of the promoted side. */
  primary(): Promise<unknown>;
  /** Removes what serves by promotion. */
  losePrimary(): Promise<void>;
  /** Writes a name of no object where the kind names the promoted side, and restores it. Absent if the kind has no such name. */
  misnamePrimary?(): Promise<void>;
  /** The side that has no traffic has been put away, as far as the kind can. */
  isScaledDown(): Promise<void>;
  /** The application is its own again: nothing of ours is left. */
  isAsBefore(): Promise<void>;
}

export type StartApplication = (cluster: Cluster, namespace: string) => Application;

/** The container of one version. */
export function containerOf(version: string, env: Env = {}): Record<string, unknown> {
  return {
    name: 'web',
    image: `${APP}:${version}`,
    ports: [{ name: 'http', containerPort: 9898 }],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
  };
}

/** References and waits in one namespace. */
export function placeOf(cluster: Cluster, namespace: string) {
  const ref = (apiVersion: string, kind: string, name = APP): ObjectRef => ({ apiVersion, kind, name, namespace });
  const wait = async (where: ObjectRef, what: string, isSo: (now: KubeObject | undefined) => boolean | undefined): Promise<void> => {
    await until(cluster, where, what, isSo);
  };
  const isGone = (apiVersion: string, kind: string, name: string) =>
    wait(ref(apiVersion, kind, name), 'is gone', (now) => now === undefined);
  return { ref, wait, isGone };
}

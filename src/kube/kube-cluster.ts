import type { ObjectRef } from '../api/kube-object.ts';
import type { Cluster } from './cluster.ts';

/** A Cluster with what a scheduler, a kubelet and a command line need besides. */
export interface KubeCluster extends Cluster {
  /** Gives a pending pod its node, as a scheduler does. */
  bind(pod: ObjectRef, node: string): Promise<void>;
  /** Removes the object without waiting for its grace period. Deleting what is absent is done already. */
  forceDelete(ref: ObjectRef): Promise<void>;
  /** Group and plural of a kind, as rules of RBAC name it. */
  resourceOf(apiVersion: string, kind: string): Promise<{ group: string; plural: string }>;
  /** Any path of the API server; the answer's JSON, or its text where it is none (`/readyz`). An error answer throws an ApiError. */
  raw(method: string, path: string, body?: unknown): Promise<unknown>;
  /** The same with any status as an answer, errors included, and its body unmodified. Throws without an answer. */
  ask(method: string, path: string, options?: { body?: object; signal?: AbortSignal }): Promise<{ status: number; body: string }>;
}

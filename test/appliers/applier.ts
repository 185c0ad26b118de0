import type { KubeObject } from '../../src/api/kube-object.ts';
import type { Subject } from './shop.ts';

export interface Applied {
  isApplied: boolean;
  /** The last line of what it said. */
  said: string;
  /** Kinds of the objects that it found to differ from their manifests, before it applied; absent: it does not say. */
  outOfSync?: readonly string[];
}

/** A tool with the flags or settings that users run it with. */
export interface Applier {
  /** A name for a Kubernetes namespace. */
  readonly id: string;
  /** As the table names it. */
  readonly name: string;
  /** What its user set so that Serin's fields stay; absent: nothing. */
  readonly isRemedy?: true;
  /** Objects that it cannot apply. */
  readonly lacks?: readonly Subject[];
  /** Brings the manifests to a namespace, the first time or again. */
  apply(namespace: string, manifests: readonly KubeObject[]): Promise<Applied>;
}

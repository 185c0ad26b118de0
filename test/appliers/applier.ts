import type { KubeObject } from '../../src/api/kube-object.ts';

export interface Applied {
  isApplied: boolean;
  /** The last line of what it said. */
  said: string;
}

/** A tool with the flags or settings that users run it with. */
export interface Applier {
  /** A name for a Kubernetes namespace. */
  readonly id: string;
  /** As the table names it. */
  readonly name: string;
  /** What its user set so that Serin's fields stay; absent: nothing. */
  readonly isRemedy?: true;
  /** Brings the manifests to a namespace, the first time or again. */
  apply(namespace: string, manifests: readonly KubeObject[]): Promise<Applied>;
}

import type { KubeObject } from '../../src/api/kube-object.ts';
import type { Subject } from './shop.ts';

export interface Applied {
  isApplied: boolean;
  /** The last line of what it said. */
  said: string;
  /** Kinds of the objects that differed from their manifests before the tool applied them. Absent if it does not report them. */
  outOfSync?: readonly string[];
}

/** A tool with the flags or settings that users run it with. */
export interface Applier {
  /** A name for a Kubernetes namespace. */
  readonly id: string;
  /** Name in the table. */
  readonly name: string;
  /** Its user has set options so that Serin's fields stay. Absent if not. */
  readonly isRemedy?: true;
  /** Objects that it cannot apply. */
  readonly lacks?: readonly Subject[];
  /** Brings the manifests to a namespace, the first time or again. */
  apply(namespace: string, manifests: readonly KubeObject[]): Promise<Applied>;
}

import type { KubeObject } from '../../api/kube-object.ts';

/** The writer, its endpoint, and how strictly fields are checked. */
export interface WriteContext {
  manager: string;
  /** As the client names it; empty: it does not. */
  fieldManager: string;
  userAgent: string;
  subresource: string;
  dryRun: boolean;
  fieldValidation: string;
  force: boolean;
  warn(text: string): void;
}

/** One change of the store, as its listener sees it. */
export interface StoreWrite {
  /** Empty: the server itself, as in deletions. */
  userAgent: string;
  subresource: string;
  /** Absent: created. */
  before: KubeObject | undefined;
  /** Absent: deleted. */
  object: KubeObject | undefined;
}

export interface ApiHooks {
  /** Called for each change of the store, before its watches see it. */
  onWrite?(write: StoreWrite): void;
  /** Why an object must not be created, as an admission plug-in says it; undefined: it may. */
  admit?(object: KubeObject): string | undefined;
}

export interface DeleteOptions {
  propagationPolicy?: string;
  orphanDependents?: boolean;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** A write of the server itself. */
export const internalWrite: WriteContext = {
  manager: 'serin-apiserver',
  fieldManager: '',
  userAgent: '',
  subresource: '',
  dryRun: false,
  fieldValidation: 'Ignore',
  force: true,
  warn: () => undefined,
};

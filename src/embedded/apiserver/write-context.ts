import type { KubeObject } from '../../api/kube-object.ts';

/** The writer, its endpoint, and how strictly fields are checked. */
export interface WriteContext {
  manager: string;
  /** The name that the client gives; empty if it gives none. */
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
  /** Empty for writes of the server itself, as in deletions. */
  userAgent: string;
  subresource: string;
  /** Absent if the object is created. */
  before: KubeObject | undefined;
  /** Absent if the object is deleted. */
  object: KubeObject | undefined;
}

export interface ApiHooks {
  /** Called for each change of the store, before its watches see it. */
  onWrite?(write: StoreWrite): void;
  /** Reason for which an object must not be created, as an admission plug-in words it; `undefined` if it is admitted. */
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

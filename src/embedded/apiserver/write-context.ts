/** Who writes, through which endpoint, and how strictly. */
export interface WriteContext {
  manager: string;
  subresource: string;
  dryRun: boolean;
  fieldValidation: string;
  force: boolean;
  warn(text: string): void;
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
  subresource: '',
  dryRun: false,
  fieldValidation: 'Ignore',
  force: true,
  warn: () => undefined,
};

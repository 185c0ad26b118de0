import type { Canary, Provider } from './canary.ts';

/** What is wrong with a Canary that can be read: an error can never work, a warning works otherwise than it looks. */
export interface Finding {
  severity: 'error' | 'warning';
  /** The field, as `spec.analysis.metrics[0].interval`. */
  path: string;
  /** What is wrong and what to do. */
  message: string;
  /** Of a warning: the field has no effect here, or counts as another value. It is said where the Canary runs, too. */
  isIgnored?: true;
}

/** What is known while checks look: the Canary and its traffic provider, when one is known. */
export interface Scope {
  canary: Canary;
  provider: Provider | undefined;
  /** The one whose metrics built-in checks ask. */
  observed: Provider | undefined;
}

export const error = (path: string, message: string): Finding => ({ severity: 'error', path, message });
export const warning = (path: string, message: string): Finding => ({ severity: 'warning', path, message });
export const ignored = (path: string, message: string): Finding => ({ ...warning(path, message), isIgnored: true });

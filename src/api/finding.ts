import { shorten } from '../base/field-path.ts';
import type { Canary, Provider } from './canary.ts';
import type { Problem } from './problem.ts';

/** A mistake in a readable Canary: an error can never work, a warning works differently than it appears. */
export interface Finding extends Problem {
  severity: 'error' | 'warning';
  /** Set on a warning: the field has no effect here, or counts as another value. The controller also reports it. */
  isIgnored?: true;
}

/** Input of the checks: the Canary, and its traffic provider if it is known. */
export interface Scope {
  canary: Canary;
  provider: Provider | undefined;
  /** The provider whose metrics the built-in checks query. */
  observed: Provider | undefined;
}

/** A mistake that can never work; `message` follows the path. */
export const error = (path: string, message: string): Finding => ({ severity: 'error', path, message });
/** A mistake that works differently than it appears; `message` follows the path. */
export const warning = (path: string, message: string): Finding => ({ severity: 'warning', path, message });
/** A warning that the field has no effect, or counts as another value. */
export const ignored = (path: string, message: string): Finding => ({ ...warning(path, message), isIgnored: true });
/** The finding for a text that is not a duration above 0. */
export const badDuration = (path: string, text: string): Finding =>
  error(path, `is ${shorten(text)}, which is not a time above 0: write it as in 30s or 1m30s`);

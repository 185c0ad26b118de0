import type { AlertMessage } from './notifier.ts';

/** The meaning of an alert, which decides its colour. */
export type Tone = 'failed' | 'warning' | 'success' | 'news';

const good = new Set(['Initialized', 'Succeeded']);

/** A release that ended well differs from a release that begins, though both are `info`. */
export function toneOf({ severity, reason }: Pick<AlertMessage, 'severity' | 'reason'>): Tone {
  if (severity === 'error') return 'failed';
  if (severity === 'warn') return 'warning';
  return good.has(reason) ? 'success' : 'news';
}

/** Red and blue are those of Flagger. */
export const hexColor: Readonly<Record<Tone, string>> = { failed: '#FF0000', warning: '#D97706', success: '#2E7D32', news: '#0076D7' };

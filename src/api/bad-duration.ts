import { shorten } from './field-path.ts';
import { error, type Finding } from './finding.ts';

/** The finding for a text that is not a duration above 0. */
export function badDuration(path: string, text: string): Finding {
  return error(path, `is ${shorten(text)}, which is not a time above 0: write it as in 30s or 1m30s`);
}

import type { Reason } from '../api/codes/codes.ts';

/** Something that happened, for an Event; alerts are listed in the status. Its reason is from the closed list. */
export interface Announcement {
  reason: Reason;
  type: 'Normal' | 'Warning';
  message: string;
}

/** One announcement in the closed vocabulary. */
export function say(reason: Reason, message: string, options: { warning?: boolean } = {}): Announcement {
  return { reason, type: options.warning ? 'Warning' : 'Normal', message };
}

import type { Subject } from './shop.ts';

/** `push`: the manifests of the next version, on an idle Canary. The other two: the manifests that were applied last, again. */
export const MOMENTS = ['idle', 'push', 'mid-release', 'after deletion'] as const;
export type Moment = (typeof MOMENTS)[number];

/** `stopped`: Serin does not run while the tool applies. `guarded`: with the apex guard. */
export const MODES = ['running', 'stopped', 'guarded'] as const;
export type Mode = (typeof MODES)[number];

export interface Cell {
  applier: string;
  isRemedy?: true;
  subject: Subject;
  moment: Moment;
  /** Both times; else what the tool said. */
  refused?: string;
  /** Milliseconds for which the object matched the manifest, for each attempt. Absent if it never did. */
  resetMs?: number[];
  /** The object said so still when the look ended. */
  stays?: true;
  /** The tool reports that the object differs from its manifest, after Serin has answered. */
  isOutOfSync?: true;
  /** Requests that no application answered. */
  lost: number;
  /** The proxy's reasons, each once. */
  because?: string[];
  /** Requests that the new version answered before Serin had sent any to it. */
  early: number;
  /** Load average of the last minute: processes that ran or waited for a core. Absent if it was not recorded. */
  load?: number;
}

/** Results of the last run of each mode. */
export type Results = Partial<Record<Mode, { versions: Record<string, string>; cells: Cell[] }>>;

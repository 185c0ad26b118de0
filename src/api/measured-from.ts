import type { Release } from './canary-status.ts';

/** Time from which only this revision answers for the canary (E20a), or else the start of the release; epoch milliseconds. */
export const measuredFrom = ({ measuredFromMs, startedMs }: Pick<Release, 'measuredFromMs' | 'startedMs'>): number =>
  measuredFromMs ?? startedMs;

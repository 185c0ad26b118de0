import type { Release } from './canary-status.ts';

/** From when only this revision answers for the canary (E20a), or else from the start of the release; epoch milliseconds. */
export const measuredFrom = ({ measuredFromMs, startedMs }: Pick<Release, 'measuredFromMs' | 'startedMs'>): number =>
  measuredFromMs ?? startedMs;

import type { Release } from '../api/canary-status.ts';
import { SAME_CLOCK_MS } from '../kube/server-clock.ts';
import type { ControllerDeps } from './controller-deps.ts';
import type { Signature } from './status/draft.ts';

type OwnClock = Pick<ControllerDeps, 'writer' | 'clockAheadMs'>;

/** Names this process in a status that it writes, with the error of its clock. */
export function writerSignature({ writer, clockAheadMs }: OwnClock): Signature {
  const aheadMs = clockAheadMs();
  return aheadMs === 0 ? { writer } : { writer, clockAheadMs: aheadMs };
}

/** Time by which the clock of the process that wrote this release was behind ours, negative if it was ahead: both were compared with the API server's (E144). */
export function writerBehindMs(release: Pick<Release, 'writer' | 'clockAheadMs'> | undefined, own: OwnClock): number | undefined {
  if (release?.writer === undefined || release.writer === own.writer) return undefined;
  const behindMs = own.clockAheadMs() - (release.clockAheadMs ?? 0);
  return Math.abs(behindMs) >= SAME_CLOCK_MS ? behindMs : undefined;
}

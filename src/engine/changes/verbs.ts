import type { Release } from '../../api/canary-status.ts';
import type { VerbRequest } from '../../api/verb-request.ts';
import type { Input } from '../context.ts';
import { say } from '../reasons.ts';
import { withOutcome } from '../request-outcome.ts';
import { refusalReason } from './answer.ts';
import { announce, type ContextPatch, now, putQuestion } from './change.ts';

/** Requests of users (E70–E75, E134). */
export const verbs = {
  /** The open question is dropped: nothing is decided while a user holds the release. */
  pause: (input: Input): ContextPatch => {
    if (input.event.type !== 'REQUEST') return {};
    const { by } = input.event.request;
    return { release: { ...input.context.release, paused: { by, sinceMs: now(input) } }, open: undefined };
  },
  resume: (input: Input): ContextPatch => ({ release: resumed(input.context.release, now(input)) }),

  beginUndo: (input: Input): ContextPatch =>
    input.event.type === 'REQUEST' ? { release: { ...input.context.release, undo: input.event.request } } : {},
  askUndo: (input: Input) => putQuestion(input, { kind: 'undo', revision: input.context.release.revision }),
  /** The target has its template from before the last promotion, which is released next; or the undo was refused with a reason. */
  endUndo: (input: Input): ContextPatch => {
    const { undo, ...release } = input.context.release;
    return undo ? ended(input, release, undo) : {};
  },

  beginRestart: (input: Input): ContextPatch =>
    input.event.type === 'REQUEST' ? { release: { ...input.context.release, restart: input.event.request } } : {},
  askRestart: (input: Input) => putQuestion(input, { kind: 'restart', atMs: input.context.release.restart?.atMs ?? now(input) }),
  endRestart: (input: Input): ContextPatch => {
    const { restart, ...release } = input.context.release;
    return restart ? ended(input, release, restart) : {};
  },
};

/** Ends a request whose answer came after it was recorded. */
function ended(input: Input, release: Release, request: VerbRequest): ContextPatch {
  const reason = refusalReason(input) || undefined;
  return { ...announce(input, announcementOf(request, reason)), release: withOutcome(release, request, now(input), reason) };
}

/** The Event about a request: its user, its verb, and the reason for which it was refused. */
export function announcementOf(request: Parameters<typeof withOutcome>[1], reason?: string) {
  const what = 'verb' in request ? `${request.verb}, requested by ${request.by}` : `Request ${request.id}`;
  return reason === undefined
    ? say('RequestCompleted', `${what}: carried out (${request.id})`)
    : say('RequestRejected', `${what}: refused, since ${reason} (${request.id})`, { warning: true });
}

/** Time for which a user held the release does not count against any deadline (E71). */
function resumed(paused: Release, nowMs: number): Release {
  const { paused: pause, ...release } = paused;
  if (!pause) return release;
  const later = (ms: number): number => ms + nowMs - Math.max(ms, pause.sinceMs);
  const { awaitedSinceMs, blindSinceMs, gateClosed } = release;
  return {
    ...release,
    stepStartedMs: later(release.stepStartedMs),
    ...(awaitedSinceMs === undefined ? {} : { awaitedSinceMs: later(awaitedSinceMs) }),
    ...(blindSinceMs === undefined ? {} : { blindSinceMs: later(blindSinceMs) }),
    ...(gateClosed && { gateClosed: { ...gateClosed, sinceMs: later(gateClosed.sinceMs) } }),
  };
}

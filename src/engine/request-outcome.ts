import type { Release } from '../api/canary-status.ts';
import type { Acknowledgement as Acknowledged, SeenRequest } from '../api/verb-request.ts';

/** Requests whose outcome is remembered. */
const MOST_REQUESTS = 10;

/** The release with the outcome of a request listed; without a reason it was carried out. */
export function withOutcome(release: Release, request: SeenRequest, nowMs: number, reason?: string): Release {
  const { id } = request;
  const who = 'verb' in request ? { verb: request.verb, by: request.by } : {};
  const outcome: Acknowledged = {
    id,
    ...who,
    outcome: reason === undefined ? 'carriedOut' : 'refused',
    ...(reason === undefined ? {} : { reason }),
    atMs: nowMs,
  };
  return { ...release, requests: [...(release.requests ?? []), outcome].slice(-MOST_REQUESTS) };
}

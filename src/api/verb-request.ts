import * as z from 'zod';
import { verbDefinitions } from './verb-definitions.ts';

/** docs/verbs.md has the effect of each in each phase. */
export const Verb = z.enum(Object.keys(verbDefinitions) as [keyof typeof verbDefinitions]);
export type Verb = z.infer<typeof Verb>;

/** Chosen by the requester: each id is carried out at most once. */
export const requestId = /^[A-Za-z0-9-]{1,64}$/;
/** Longest user name, in UTF-16 units. */
export const LONGEST_NAME = 300;

/** A request that waited for this long is refused: its author no longer waits for it. Milliseconds. */
export const LONGEST_WAIT_MS = 3_600_000;

/** In place of the name, if neither the API server nor the kubeconfig names the user. */
export const UNKNOWN_USER = 'unknown';

/** One request, as stored in the annotation `serin.dev/request`; a newer one replaces an older one. */
export const VerbRequest = z.object({
  verb: Verb,
  id: z.string().regex(requestId),
  /** Time of the request by the requester's clock, in epoch milliseconds. */
  atMs: z.number(),
  /** The requester's user name, as the API server knows it. */
  by: z.string().min(1).max(LONGEST_NAME),
});
export type VerbRequest = z.infer<typeof VerbRequest>;

/** A request that cannot be read is refused under its id, or under the text in the place of its id. */
export type SeenRequest = VerbRequest | { id: string; problem: string };

/** The outcome of a request, in `status.release.requests`. */
export const Acknowledgement = z.object({
  id: z.string(),
  /** Absent if the request could not be read. */
  verb: Verb.optional(),
  by: z.string().optional(),
  outcome: z.enum(['carriedOut', 'refused']),
  /** Reason for which it was refused. */
  reason: z.string().optional(),
  /** Time of recording, in epoch milliseconds. */
  atMs: z.number(),
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/**
 * `<verb> <id> <RFC 3339 time> <user name>`: plain words, so that an admission policy can compare the name without parsing. The time has milliseconds: in whole
 * seconds a request could come before a release that began in the same second.
 */
export function writeRequest({ verb, id, atMs, by }: VerbRequest): string {
  return `${verb} ${id} ${new Date(atMs).toISOString()} ${by}`;
}

/** The name is everything after the third space. */
export function readRequest(text: string): SeenRequest {
  const [verb = '', id = '', at = '', ...by] = text.split(' ');
  const parsed = VerbRequest.safeParse({ verb, id, atMs: Date.parse(at), by: by.join(' ') });
  if (parsed.success) return parsed.data;
  const field = String(parsed.error.issues[0]?.path[0] ?? 'verb');
  const what = { verb: `the verb ${JSON.stringify(verb.slice(0, 40))}`, id: 'the id', atMs: 'the time', by: 'the user name' }[field];
  const problem = `${what} cannot be read: a request is <verb> <id> <RFC 3339 time> <user name>, and the verbs are ${Verb.options.join(', ')}`;
  return { id: VerbRequest.shape.id.safeParse(id).success ? id : text.slice(0, 64), problem };
}

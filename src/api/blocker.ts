import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { blockerCodes, endingCauses } from './codes/codes.ts';

/** Number of characters of a foreign text that are kept. */
export const LONGEST_DETAIL = 1024;
/** Number of characters of a name or a field path that are kept. */
const LONGEST_NAME = 300;
/** Number of blockers of one release that are stored, the most urgent first. */
export const MOST_BLOCKERS = 10;

/** The object that a blocker is about. */
export const BlockedObject = z.object({
  apiVersion: z.string().describe('Version of its kind.'),
  kind: z.string().describe('Its kind.'),
  name: z.string().describe('Its name.'),
  namespace: z.string().optional().describe('Its namespace; absent for kinds without.'),
});
export type BlockedObject = z.infer<typeof BlockedObject>;

/** One reason for which a release does not continue. Code acts on the fields; only `detail` is prose, which is shown and never parsed. */
export const Blocker = z.object({
  /** From the closed list of `codes/list.ts`. */
  code: z.enum(blockerCodes).describe('Reason from a closed list (docs/reasons.md).'),
  /** A more exact reason, as `serin why` names it. */
  cause: z.enum(endingCauses).optional().catch(undefined).describe('A more exact reason, as `serin why` names it.'),
  /** The object to inspect or to correct. */
  object: BlockedObject.optional().describe('Object concerned.'),
  /** A field of that object; without an object, of the Canary. */
  field: z.string().optional().describe('Path of the field concerned, in the object or else in the Canary.'),
  /** Name in `spec.analysis.webhooks`. */
  webhook: z.string().optional().describe('Name of the webhook that refuses.'),
  /** Name in `spec.analysis.metrics`. */
  metric: z.string().optional().describe('Name of the check concerned.'),
  /** RFC 3339. */
  since: z.string().describe('When it was first seen.'),
  /** RFC 3339. At this time the release is rolled back or continues; absent without a limit. */
  until: z.string().optional().describe('End of its time limit; absent without a limit.'),
  /** Text of a gate, an API server, a metrics server or another component, shortened to `LONGEST_DETAIL`. */
  detail: z.string().optional().describe('Text of another component; not for programs.'),
});
export type Blocker = z.infer<typeof Blocker>;

/** A blocker at its start: the time is added when it is stored. */
export const NewBlocker = Blocker.omit({ since: true, until: true });
export type NewBlocker = z.infer<typeof NewBlocker>;

/**
 * Stored blockers. An entry that cannot be read is left out: a code of a newer Serin, or an edit by hand, must not cost the memory of the release. Only codes
 * that are written are from the closed list.
 */
export const Blockers = z
  .unknown()
  .transform((stored): Blocker[] =>
    Array.isArray(stored) ? stored.slice(0, MOST_BLOCKERS).flatMap((one) => Blocker.safeParse(one).data ?? []) : [],
  );

/** Two blockers are the same if they differ only in time and detail. */
export function identityOf({ code, object, field, webhook, metric }: NewBlocker): string {
  const { apiVersion, kind, name, namespace } = object ?? {};
  return JSON.stringify([code, apiVersion, kind, name, namespace, field, webhook, metric]);
}

/** The blocker with its texts shortened for storage. */
export function bounded<B extends NewBlocker>(blocker: B): B {
  const short = (text: string | undefined, most: number) =>
    text && text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
  const { field, webhook, metric, detail } = blocker;
  const names = defined({ field: short(field, LONGEST_NAME), webhook: short(webhook, LONGEST_NAME), metric: short(metric, LONGEST_NAME) });
  return { ...blocker, ...names, ...defined({ detail: short(detail, LONGEST_DETAIL) }) };
}

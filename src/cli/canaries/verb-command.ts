import { parseDuration } from '../../api/duration.ts';
import type { Verb } from '../../api/verb-request.ts';
import { resourceName } from '../../reading/canary-reading.ts';
import type { RequestResult } from '../../reading/documents/canary-documents.ts';
import { requestVerb } from '../../reading/request-verb.ts';
import { type ExitName, usageError } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import type { Session } from './session.ts';

export interface VerbFlags {
  /** `--no-wait` is false. */
  wait: boolean;
  timeout: string;
}

/** `serin promote` and other verbs: records the request on the Canary, and shows the controller's answer. */
export async function verbCommand(session: Session, verb: Verb, name: string, flags: VerbFlags): Promise<ExitName> {
  const { output } = session;
  const boundMs = parseDuration(flags.timeout);
  if (boundMs === undefined || boundMs <= 0) throw usageError(`--timeout ${flags.timeout} must be a duration above 0, like 30s or 1m30s`);
  const result = await requestVerb(session, verb, name, flags);
  await output.show(shown(result));
  // Programs read the data; the reason also goes to the user.
  if (output.format !== undefined && result.message !== undefined) output.note(result.message);
  return result.outcome === 'refused' ? 'refused' : result.outcome === 'timedOut' ? 'timedOut' : 'done';
}

/** Outcomes as users read them. */
export const verbOutcomeWords = {
  requested: 'requested',
  done: 'carried out',
  refused: 'refused',
  timedOut: 'not answered yet',
} as const satisfies Record<RequestResult['outcome'], string>;

function shown(document: RequestResult): CommandAnswer<RequestResult> {
  const { name, verb, outcome, message, id } = document;
  const words = verbOutcomeWords[outcome];
  return {
    document,
    names: [resourceName(document)],
    lines: () => [`${verb} of canary ${name}: ${words} (${id})`, ...(message ? [message] : [])],
  };
}

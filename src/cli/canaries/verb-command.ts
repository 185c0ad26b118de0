import { parseDuration } from '../../api/duration.ts';
import type { Verb } from '../../api/verb-request.ts';
import { systemClock } from '../../base/clock.ts';
import { getCanary, resourceName } from '../../reading/canary-reading.ts';
import type { RequestResult } from '../../reading/documents/canary-documents.ts';
import { inCharge } from '../../reading/in-charge.ts';
import { requestVerb } from '../../reading/request-verb.ts';
import { type ExitName, usageError } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { controllerText } from './controller-lines.ts';
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
  const silence = flags.wait ? explainSilence(session, name, flags.timeout) : undefined;
  const result = await requestVerb(session, verb, name, flags).finally(() => silence?.());
  await output.show(shown(result));
  // Programs read the data; the reason also goes to the user.
  if (output.format !== undefined && result.message !== undefined) output.note(result.message);
  return result.outcome === 'refused' ? 'refused' : result.outcome === 'timedOut' ? 'timedOut' : 'done';
}

/** A controller that runs answers sooner; then the user reads which replica is waited for, or that none runs. */
const SILENCE_MS = 5_000;

/** Clauses in place of a controller. */
const UNNAMED = 'no Lease of the cluster names a controller; check that Serin is installed and runs';
const HIDDEN = 'you may not read the Leases, which name the controller; check that Serin runs';

/** Explains a missing answer on stderr, once. The result stops it. */
function explainSilence(
  { cluster, namespace = 'default', clock = systemClock, output }: Session,
  name: string,
  timeout: string,
): () => void {
  let isOver = false;
  const cancel = clock.setTimer(SILENCE_MS, () => {
    const read = async () => inCharge(cluster, await getCanary(cluster, namespace, name), clock.nowMs());
    // An error of this read says nothing about the request.
    read().then(
      ({ controller, isHidden }) => {
        if (isOver) return;
        const who = controller ? controllerText(controller) : isHidden ? HIDDEN : UNNAMED;
        output.note(`No answer yet: ${who}. The request is carried out when a controller reads it; waiting for up to ${timeout}.`);
        if (controller?.look !== undefined) output.note(`  ${controller.look}`);
      },
      () => undefined,
    );
  });
  return () => {
    isOver = true;
    cancel();
  };
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

import { randomUUID } from 'node:crypto';
import { parseDuration } from '../../api/duration.ts';
import { statusOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { requestAnnotation } from '../../api/names.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { type Acknowledgement, readRequest, type Verb, type VerbRequest, writeRequest } from '../../api/verb-request.ts';
import { type Clock, systemClock } from '../../kube/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError, isConflict, isForbidden, isInvalid } from '../../kube/errors.ts';
import type { RequestResult } from '../output/documents.ts';
import { CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { headOf } from '../output/output-version.ts';
import { awaitObject } from './await-object.ts';
import { canaryRef, getCanary, resourceName } from './canary-reading.ts';
import type { Session } from './session.ts';

export interface VerbFlags {
  /** `--no-wait` is false. */
  wait: boolean;
  timeout: string;
}

/** The deadline of an answer, by the clock's monotonic time. */
interface Until {
  clock: Clock;
  untilMs: number;
}

/** Tries when other writers change the Canary at the same moment. */
const MOST_TRIES = 10;

/** `serin promote` and other verbs: records the request on the Canary, and shows the controller's answer. */
export async function verbCommand(session: Session, verb: Verb, name: string, flags: VerbFlags): Promise<ExitName> {
  const { output } = session;
  const result = await requestVerb(session, verb, name, flags);
  await output.show(shown(result));
  // Programs read the data; the reason also goes to the user.
  if (output.format !== undefined && result.message !== undefined) output.note(result.message);
  return result.outcome === 'refused' ? 'refused' : result.outcome === 'timedOut' ? 'timedOut' : 'done';
}

/** Records the request, and waits for the controller's answer. */
export async function requestVerb(session: Session, verb: Verb, name: string, { wait, timeout }: VerbFlags): Promise<RequestResult> {
  const { cluster, namespace = 'default', clock = systemClock } = session;
  const boundMs = parseDuration(timeout);
  if (boundMs === undefined || boundMs <= 0) throw usageError(`--timeout ${timeout} must be a duration above 0, like 30s or 1m30s`);
  const until: Until = { clock, untilMs: clock.monotonicMs() + boundMs };
  const request: VerbRequest = { verb, id: randomUUID(), atMs: clock.nowMs(), by: await requester(session) };
  const recorded = await record(cluster, await getCanary(cluster, namespace, name), request, until);
  const answer = recorded instanceof ApiError ? recorded : wait ? await acknowledgement(cluster, recorded, request.id, until) : 'requested';
  return {
    ...headOf('RequestResult', { namespace, name }),
    ...{ verb, id: request.id },
    ...outcomeOf(answer, request, timeout),
  };
}

function outcomeOf(
  answer: Acknowledgement | ApiError | 'requested' | 'overtaken' | 'late',
  { verb, by }: VerbRequest,
  timeout: string,
): Pick<RequestResult, 'outcome' | 'message'> {
  if (answer === 'requested') return { outcome: 'requested' };
  if (answer instanceof ApiError) return { outcome: 'refused', message: `the API server refused to record ${verb}: ${answer.message}` };
  if (answer === 'overtaken')
    return {
      outcome: 'refused',
      message: `another request replaced this one before the controller read it: check serin status, then try again`,
    };
  if (answer === 'late')
    return {
      outcome: 'timedOut',
      message: `the controller has not answered within ${timeout}: the request of ${by} stays recorded, and the controller carries it out when it runs; check that Serin is running`,
    };
  return answer.outcome === 'carriedOut'
    ? { outcome: 'done' }
    : { outcome: 'refused', message: `${verb} was refused: ${answer.reason ?? ''}` };
}

/** Outcomes as users read them. */
export const outcomeWords = {
  requested: 'requested',
  done: 'carried out',
  refused: 'refused',
  timedOut: 'not answered yet',
} as const satisfies Record<RequestResult['outcome'], string>;

function shown(document: RequestResult): CommandAnswer<RequestResult> {
  const { name, verb, outcome, message, id } = document;
  const words = outcomeWords[outcome];
  return {
    document,
    names: [resourceName(document)],
    lines: () => [`${verb} of canary ${name}: ${words} (${id})`, ...(message ? [message] : [])],
  };
}

/** The user's name as the API server knows it; before Kubernetes 1.28, or where that is forbidden, as the kubeconfig has it. */
async function requester({ cluster, user }: Session): Promise<string> {
  try {
    const answer = await cluster.create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: { name: '' } });
    const name: unknown = statusOf<{ userInfo: { username?: unknown } }>(answer).userInfo?.username;
    if (typeof name === 'string' && name !== '') return name;
  } catch (error) {
    const isUnknown = error instanceof ApiError && [403, 404, 405].includes(error.status);
    if (!isUnknown) throw error;
  }
  return user ?? 'unknown';
}

/**
 * Never overwrites a request that waits for its answer: two users who ask at once are both answered, in turn. An error as the
 * answer: the user lacks the right to write it, or an admission policy rejects it.
 */
export async function record(
  cluster: Pick<Cluster, 'get' | 'patch' | 'watch'>,
  first: KubeObject,
  request: VerbRequest,
  until: Until,
): Promise<KubeObject | ApiError> {
  let canary = first;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const before = canary.metadata.annotations?.[requestAnnotation];
    if (before !== undefined && (await acknowledgement(cluster, canary, readRequest(before).id, until)) === 'late') {
      const waits = `an earlier request (${before}) has no answer yet, so that nothing was recorded: check that Serin is running`;
      throw new CommandError('timedOut', waits);
    }
    const fresh = await getCanary(cluster, canary.metadata.namespace ?? '', canary.metadata.name);
    // Wait for a request that was recorded since, too: this version of the Canary holds it.
    if (fresh.metadata.annotations?.[requestAnnotation] !== before) {
      canary = fresh;
      continue;
    }
    const { resourceVersion } = fresh.metadata;
    const metadata = { resourceVersion, annotations: { [requestAnnotation]: writeRequest(request) } };
    try {
      return await cluster.patch(refOf(canary), { metadata });
    } catch (error) {
      if (isForbidden(error) || isInvalid(error)) return error;
      if (!isConflict(error)) throw error;
      canary = await getCanary(cluster, canary.metadata.namespace ?? '', canary.metadata.name);
    }
  }
  throw new CommandError(
    'timedOut',
    `other writers change canary ${first.metadata.name} all the time, so that nothing was recorded: try again`,
  );
}

/** Waits for the answer by a watch of this one Canary. */
function acknowledgement(
  cluster: Pick<Cluster, 'watch'>,
  { metadata: { namespace = '', name, uid, resourceVersion } }: KubeObject,
  id: string,
  { clock, untilMs }: Until,
): Promise<Acknowledgement | 'overtaken' | 'late'> {
  return awaitObject<Acknowledgement | 'overtaken' | 'late'>(cluster, canaryRef(namespace, name), {
    look(canary) {
      if (canary === undefined || canary.metadata.uid !== uid) throw new CommandError('notFound', `canary ${name} was deleted`);
      // A cache may be older than the write.
      if (Number(canary.metadata.resourceVersion) < Number(resourceVersion)) return undefined;
      const { requests = [], undo } = parseStatus(canary.status)?.release ?? {};
      const known = requests.find((one) => one.id === id);
      const latest = canary.metadata.annotations?.[requestAnnotation];
      if (known) return known;
      return undo?.id !== id && (latest === undefined || readRequest(latest).id !== id) ? 'overtaken' : undefined;
    },
    late: () => 'late',
    onUnavailable: (_, message) => new CommandError('unanswered', message),
    clock,
    withinMs: untilMs - clock.monotonicMs(),
  });
}

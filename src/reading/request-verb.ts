import { randomUUID } from 'node:crypto';
import { parseDuration } from '../api/duration.ts';
import { statusOf } from '../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../api/kube-object.ts';
import { requestAnnotation } from '../api/names.ts';
import { parseStatus } from '../api/parse-status.ts';
import { type Acknowledgement, readRequest, UNKNOWN_USER, type Verb, type VerbRequest, writeRequest } from '../api/verb-request.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Cluster } from '../kube/cluster.ts';
import { ApiError, isConflict, isForbidden, isInvalid } from '../kube/errors.ts';
import { awaitObject } from './await-object.ts';
import { canaryRef, getCanary } from './canary-reading.ts';
import type { RequestResult } from './documents/canary-documents.ts';
import { headOf } from './documents/output-version.ts';
import { ReadingError } from './reading-error.ts';

/** Where requests are recorded, and by whom. */
export interface RequestPlace {
  cluster: Pick<Cluster, 'get' | 'create' | 'patch' | 'watch'>;
  /** Absent: `default`. */
  namespace: string | undefined;
  /** The user's name in the kubeconfig. */
  user?: string | undefined;
  /** Default: the machine's. */
  clock?: Clock;
}

/** Options of the wait for the answer. `timeout`: a Go duration above 0. */
interface Answering {
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

/** Records the request, and waits for the controller's answer. */
export async function requestVerb(requests: RequestPlace, verb: Verb, name: string, { wait, timeout }: Answering): Promise<RequestResult> {
  const { cluster, namespace = 'default', clock = systemClock } = requests;
  const until: Until = { clock, untilMs: clock.monotonicMs() + (parseDuration(timeout) ?? 0) };
  const request: VerbRequest = { verb, id: randomUUID(), atMs: clock.nowMs(), by: await requester(requests) };
  const recorded = await recordRequest(cluster, await getCanary(cluster, namespace, name), request, until);
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

/** The user's name as the API server knows it; before Kubernetes 1.28, or where that is forbidden, as the kubeconfig has it. */
async function requester({ cluster, user }: RequestPlace): Promise<string> {
  try {
    const answer = await cluster.create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: { name: '' } });
    const name: unknown = statusOf<{ userInfo: { username?: unknown } }>(answer).userInfo?.username;
    if (typeof name === 'string' && name !== '') return name;
  } catch (error) {
    const isUnknown = error instanceof ApiError && [403, 404, 405].includes(error.status);
    if (!isUnknown) throw error;
  }
  return user ?? UNKNOWN_USER;
}

/**
 * Never overwrites a request that waits for its answer: requests of two users at once are both answered, in turn. Returns the error if the user lacks the right
 * to write the request, or an admission policy rejects it.
 */
export async function recordRequest(
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
      throw new ReadingError('timedOut', waits);
    }
    const fresh = await getCanary(cluster, canary.metadata.namespace ?? '', canary.metadata.name);
    // Also wait for a request that was recorded since: this version of the Canary holds it.
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
  throw new ReadingError(
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
    reached(canary) {
      if (canary === undefined || canary.metadata.uid !== uid) throw new ReadingError('notFound', `canary ${name} was deleted`);
      // A cache can be older than the write.
      if (Number(canary.metadata.resourceVersion) < Number(resourceVersion)) return undefined;
      const { requests = [], undo } = parseStatus(canary.status)?.release ?? {};
      const known = requests.find((one) => one.id === id);
      const latest = canary.metadata.annotations?.[requestAnnotation];
      if (known) return known;
      return undo?.id !== id && (latest === undefined || readRequest(latest).id !== id) ? 'overtaken' : undefined;
    },
    late: () => 'late',
    onUnavailable: (_, message) => new ReadingError('unanswered', message),
    clock,
    withinMs: untilMs - clock.monotonicMs(),
  });
}

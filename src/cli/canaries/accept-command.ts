import { parseDuration } from '../../api/duration.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../api/names.ts';
import { systemClock } from '../../base/clock.ts';
import { isForbidden, isInvalid } from '../../kube/errors.ts';
import { awaitObject } from '../../reading/await-object.ts';
import { canaryRef } from '../../reading/canary-reading.ts';
import { headOf } from '../../reading/documents/output-version.ts';
import { findKept } from '../../reading/kept-primaries.ts';
import { anchorRef, readAnchor } from '../../workloads/anchor.ts';
import type { AcceptResult } from '../output/documents.ts';
import { CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import type { Session } from './session.ts';
import { type VerbFlags, verbOutcomeWords } from './verb-command.ts';

type AcceptSession = Pick<Session, 'namespace' | 'output' | 'clock'> & { cluster: Pick<Session['cluster'], 'get' | 'patch' | 'watch'> };

/** `serin accept NAME`: hands the application of a deleted Canary over to its current target, which was not promoted (I19). */
export async function acceptCommand(session: AcceptSession, name: string, flags: VerbFlags): Promise<ExitName> {
  const { output } = session;
  const result = await accept(session, name, flags);
  await output.show(shown(result));
  if (output.format !== undefined && result.message !== undefined) output.note(result.message);
  return result.outcome === 'refused' ? 'refused' : result.outcome === 'timedOut' ? 'timedOut' : 'done';
}

async function accept(
  { cluster, namespace = 'default', clock = systemClock }: AcceptSession,
  name: string,
  { wait, timeout }: VerbFlags,
): Promise<AcceptResult> {
  const boundMs = parseDuration(timeout);
  if (boundMs === undefined || boundMs <= 0) throw usageError(`--timeout ${timeout} must be a duration above 0, like 30s or 10m`);
  const untilMs = clock.monotonicMs() + boundMs;
  const kept = await findKept(cluster, namespace, name);
  if (kept === undefined) throw await notKept(cluster, namespace, name);
  const { target, ref } = await targetOf(cluster, namespace, name);
  const { unpromoted: revision } = kept;
  const answered = (outcome: AcceptResult['outcome'], message?: string): AcceptResult => ({
    ...headOf('AcceptResult', { namespace, name }),
    ...{ target: kept.target, revision, outcome },
    ...(message !== undefined && { message }),
  });
  try {
    await cluster.patch(ref, { metadata: { annotations: { [acceptAnnotation]: revision } } });
  } catch (error) {
    if (!isForbidden(error) && !isInvalid(error)) throw error;
    return answered('refused', `the API server refused to annotate ${kept.target}: ${error.message}`);
  }
  if (!wait) return answered('requested');
  return awaitObject<AcceptResult>(cluster, ref, {
    reached(now) {
      if (now === undefined || now.metadata.uid !== target.metadata.uid) throw new CommandError('notFound', `${kept.target} was deleted`);
      return now.metadata.annotations?.[keptAnnotation] === undefined ? answered('done') : undefined;
    },
    late: () => {
      const why = `${kept.target} has not been handed over within ${timeout}`;
      return answered('timedOut', `${why}: the request stays recorded; check that Serin is running, and that the pods become ready`);
    },
    onUnavailable: (_, message) => new CommandError('unanswered', message),
    clock,
    withinMs: untilMs - clock.monotonicMs(),
  });
}

async function notKept(cluster: AcceptSession['cluster'], namespace: string, name: string): Promise<CommandError> {
  if ((await cluster.get(canaryRef(namespace, name))) !== undefined)
    return new CommandError(
      'refused',
      `Canary ${name} exists, so that its revision is promoted or rolled back by it: serin promote ${name} skips the rest of the analysis`,
    );
  return new CommandError('notFound', `no primary of a deleted Canary ${name} is kept in namespace ${namespace}: serin list -A lists all`);
}

async function targetOf(
  cluster: AcceptSession['cluster'],
  namespace: string,
  name: string,
): Promise<{ target: KubeObject; ref: ObjectRef }> {
  const anchor = await cluster.get(anchorRef({ metadata: { namespace, name } }));
  const read = anchor && readAnchor(anchor);
  const targetRef = read && 'data' in read ? read.data.canary?.spec.targetRef : undefined;
  if (!targetRef) throw new CommandError('notFound', `the record of Canary ${name} cannot be read: annotate the target itself`);
  const { apiVersion, kind, name: targetName } = targetRef;
  const ref = { apiVersion, kind, name: targetName, namespace };
  const target = await cluster.get(ref);
  if (!target) throw new CommandError('notFound', `${kind} ${targetName} not found: its primary serves until it is created again`);
  return { target, ref };
}

function shown(document: AcceptResult): CommandAnswer<AcceptResult> {
  const { name, target, revision, outcome, message } = document;
  const words = outcome === 'done' ? 'handed over' : verbOutcomeWords[outcome];
  return {
    document,
    names: [target],
    lines: () => [`accept ${target} of the deleted canary ${name}: ${words} (${revision})`, ...(message ? [message] : [])],
  };
}

import { parseDuration } from '../../api/duration.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import type { Phase } from '../../api/phase.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { awaitObject } from '../../reading/await-object.ts';
import { canaryRef, getCanary, NOT_INSTALLED, resourceName, specUnusable, summaryOf } from '../../reading/canary-reading.ts';
import { headOf } from '../../reading/documents/output-version.ts';
import { observedTarget, targetSide } from '../../reading/observed-target.ts';
import { snapshotOf } from '../../reading/snapshot.ts';
import { recordedFor, templateOf } from '../../workloads/recorded-template.ts';
import type { Sides } from '../../workloads/workload.ts';
import type { WaitResult } from '../output/documents.ts';
import { CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { cleaned } from '../output/text.ts';
import type { Session } from './session.ts';

/** States to wait for. */
export const waitGoals = ['succeeded', 'initialized', 'waiting-promotion', 'settled'] as const;
export type WaitGoal = (typeof waitGoals)[number];

const EXITS = { reached: 'done', failed: 'no', timedOut: 'timedOut', notFound: 'notFound' } as const satisfies Record<
  WaitResult['outcome'],
  ExitName
>;

type WaitSession = Pick<Session, 'namespace' | 'output' | 'clock'> & { cluster: Pick<Cluster, 'get' | 'watch'> };

/** `serin wait NAME`: for pipelines, which use the exit code. Follows the Canary by one watch. */
export async function waitCommand(
  { cluster, namespace = '', output, clock = systemClock }: WaitSession,
  name: string,
  flags: { for: WaitGoal; revision?: string; timeout: string },
): Promise<ExitName> {
  const timeoutMs = parseDuration(flags.timeout);
  if (timeoutMs === undefined) throw usageError(`--timeout ${flags.timeout} must be a duration, like 30s, 10m or 1h`);
  const startedMs = clock.monotonicMs();
  const untilMs = startedMs + timeoutMs;
  const wanted = await wantedOf(cluster, { namespace, name, untilMs, clock }, flags.revision);
  const { outcome, seen } = await follow(cluster, { namespace, name, untilMs, clock }, (raw) => outcomeOf(raw, flags.for, wanted));
  const summary = seen && summaryOf(seen);
  const result: WaitResult = {
    ...headOf('WaitResult', { namespace, name }),
    outcome,
    phase: summary?.phase ?? '',
    ...defined({ revision: summary?.revision, message: summary?.message }),
    seconds: Math.round((clock.monotonicMs() - startedMs) / 100) / 10,
  };
  await output.show(waitAnswer(result, flags));
  if (outcome === 'notFound') output.note(`Error: Canary ${name} not found in namespace ${namespace}.`);
  if (outcome === 'timedOut') output.note(`serin why ${name} -n ${namespace} says what it waits for.`);
  return EXITS[outcome];
}

/** Revision to wait for: a named one, or the revision of the target when the command began. */
export type WantedRevision = { revision: string } | { target: NonNullable<Sides['target']> };

/**
 * Result for one goal, `undefined` while it is still open. If a revision is wanted, the result of another revision does not count: the controller might not
 * have seen the target's newest one yet, and a pipeline that has just applied it must not take the previous success for its own.
 */
export function outcomeOf(raw: KubeObject, goal: WaitGoal, wanted?: WantedRevision): 'reached' | 'failed' | undefined {
  const status = parseStatus(raw.status);
  const phase = status?.phase ?? '';
  const isWanted = wanted === undefined || isUnderWay(raw, wanted);
  if (phase === 'Failed' && isWanted && (goal === 'succeeded' || goal === 'waiting-promotion')) return 'failed';
  switch (goal) {
    case 'initialized':
      return phase === '' || phase === 'Initializing' ? undefined : 'reached';
    case 'settled':
      return isWanted && SETTLED.has(phase) ? 'reached' : undefined;
    case 'waiting-promotion':
      return isWanted && phase === 'WaitingPromotion' ? 'reached' : undefined;
    case 'succeeded':
      // The first release ends as Initialized, never as Succeeded.
      return isWanted && (phase === 'Succeeded' || (phase === 'Initialized' && wanted !== undefined)) ? 'reached' : undefined;
    default:
      return goal satisfies never;
  }
}

const SETTLED: ReadonlySet<string> = new Set(['Initialized', 'Succeeded', 'Failed'] satisfies Phase[]);

/** The release in the status, in progress or over, is of this revision. */
function isUnderWay(raw: KubeObject, wanted: WantedRevision): boolean {
  if ('target' in wanted) {
    const { canary } = snapshotOf(raw);
    const { uid, generation, revision } = wanted.target;
    const release = canary?.status?.release;
    if (!canary || !release) return false;
    if (generation !== undefined) return recordedFor(canary, { ...wanted.target, generation }) !== undefined;
    // The generation of this kind does not follow its pods: only the hash decides (docs/internals.md, Revisions).
    return release.targetUid === uid && templateOf(release) === revision;
  }
  const seen = parseStatus(raw.status)?.lastAppliedSpec;
  return seen !== undefined && isRevision(seen, wanted.revision);
}

/** A revision can be abbreviated, as `serin status` shows it. */
function isRevision(seen: string, wanted: string): boolean {
  const [whole, part] = [seen, wanted].map((one) => one.replace(/^s1:/, '')) as [string, string];
  return whole === part || (part.length >= SHORTEST_REVISION && whole.startsWith(part));
}

const SHORTEST_REVISION = 7;
/** Instead of a revision: the current content of the target. */
const OF_TARGET = 'target';

/** A Canary, and until when it is waited for, by the clock's monotonic time. */
interface Awaited {
  namespace: string;
  name: string;
  untilMs: number;
  clock: Clock;
}

async function wantedOf(
  cluster: Pick<Cluster, 'get' | 'watch'>,
  { namespace, name, untilMs, clock }: Awaited,
  revision: string | undefined,
): Promise<WantedRevision | undefined> {
  if (revision !== OF_TARGET) return revision === undefined ? undefined : { revision };
  const { canary, workload } = snapshotOf(await getCanary(cluster, namespace, name));
  if (!canary || !workload) throw specUnusable(name);
  const object = await observedTarget(cluster, workload.targetRef(canary), untilMs, clock);
  const target = targetSide(canary, workload, object);
  if (target === undefined)
    throw new CommandError('no', `the revision of ${object.kind} ${object.metadata.name} is not known yet: try again`);
  return { target };
}

type WaitEnd = { outcome: WaitResult['outcome']; seen: KubeObject | undefined };

function follow(
  cluster: Pick<Cluster, 'watch'>,
  { namespace, name, untilMs, clock }: Awaited,
  stateOf: (raw: KubeObject) => 'reached' | 'failed' | undefined,
): Promise<WaitEnd> {
  let seen: KubeObject | undefined;
  return awaitObject<WaitEnd>(cluster, canaryRef(namespace, name), {
    reached(raw) {
      seen = raw ?? seen;
      const outcome = raw === undefined ? 'notFound' : stateOf(raw);
      return outcome && { outcome, seen };
    },
    late: () => ({ outcome: 'timedOut', seen }),
    onUnavailable: (cause, message) =>
      cause === 'forbidden' ? new CommandError('unanswered', message) : new CommandError('notFound', NOT_INSTALLED),
    clock,
    withinMs: untilMs - clock.monotonicMs(),
  });
}

function waitAnswer(result: WaitResult, { for: goal, revision }: { for: WaitGoal; revision?: string }): CommandAnswer<WaitResult> {
  const said = { reached: `${goal}${revision ? ` with ${revision}` : ''}`, failed: 'failed', timedOut: 'timed out', notFound: 'not found' };
  return {
    document: result,
    names: result.outcome === 'reached' ? [resourceName(result)] : [],
    lines: (terminal) => [
      cleaned(
        `canary.flagger.app/${result.name} ${said[result.outcome]} after ${result.seconds} s${result.phase ? ` (${result.phase})` : ''}`,
        terminal,
      ),
      ...(result.outcome === 'reached' || result.message === undefined ? [] : [`  ${cleaned(result.message, terminal)}`]),
    ],
  };
}

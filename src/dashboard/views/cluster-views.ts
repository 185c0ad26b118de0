import type { Cause } from '../../api/codes/codes.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { systemClock } from '../../base/clock.ts';
import { isForbidden } from '../../kube/errors.ts';
import { isOfCluster } from '../../kube/is-of-cluster.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import { asRecord, getCanary } from '../../reading/canary-reading.ts';
import { reportOf } from '../../reading/canary-report.ts';
import { differenceOf } from '../../reading/changes/difference.ts';
import { type ComparedReport, sideText } from '../../reading/documents/compared-report.ts';
import { follow } from '../../reading/follow.ts';
import { historyOf, recordsInCluster } from '../../reading/history.ts';
import { journalList } from '../../reading/journals/journal-list.ts';
import { canaryIdentity, readJournals, readOneJournal } from '../../reading/journals/read-journals.ts';
import { podOf } from '../../reading/pod-view.ts';
import { type NoAnswer, ReadingError } from '../../reading/reading-error.ts';
import { type RequestPlace, requestVerb } from '../../reading/request-verb.ts';
import { type CanarySnapshot, readSnapshot, watchedByScreen } from '../../reading/snapshot.ts';
import { recordedWaits } from '../../reading/waits.ts';
import { whyOf } from '../../reading/why/diagnose.ts';
import { saidOnce } from '../../reading/why/said-once.ts';
import { ViewError, type Views } from '../views.ts';
import type { CanaryName, ComparedView, PodView, ReleaseView } from '../wire.ts';
import { boundsOf, journalView } from './journal-view.ts';
import { type RoutesRead, readRoutes } from './routes-view.ts';

/** Longest wait of the page for the controller's answer. */
const ANSWER_WITHIN = '1m';
/** Limit of one page: tenants can make any number. */
const MOST_PODS = 200;
const MOST_EVENTS = 50;

/** Whose views they are: a cluster that is read with the user's rights. */
interface ViewsOf extends RequestPlace {
  cluster: KubeCluster;
}

/** The views of the dashboard on the user's cluster, with the user's own rights. */
export function clusterViews(session: ViewsOf, meshProvider: string): Views {
  const { cluster, clock = systemClock } = session;
  return {
    follow(canary, show, fail) {
      return followRelease(session, canary, { meshProvider, show, fail });
    },
    history: ({ namespace, name }) =>
      answered(async () => {
        const raw = await getCanary(cluster, namespace, name);
        const canary = canaryIdentity(raw);
        const [records, journals] = await Promise.all([recordsInCluster(cluster, raw), readJournals(cluster, canary)]);
        return { promoted: historyOf(raw, records).items, releases: journalList(canary, journals).items };
      }),
    journal: ({ namespace, name }, release) =>
      answered(async () => {
        const canary = canaryIdentity(await getCanary(cluster, namespace, name));
        return journalView(await readOneJournal(cluster, canary, release));
      }),
    difference: ({ namespace, name }) =>
      answered(async () => {
        const [{ difference, hidden }, snapshot] = await Promise.all([
          differenceOf(cluster, namespace, name),
          readSnapshot(cluster, namespace, name, clock),
        ]);
        const { routes, note } = await readRoutes(cluster, snapshot, meshProvider);
        return { changes: difference.changes, routes, hidden: [...hidden, ...(note === undefined ? [] : [note])] };
      }),
    act: ({ namespace, name }, verb) =>
      answered(() => requestVerb({ ...session, namespace, clock }, verb, name, { wait: true, timeout: ANSWER_WITHIN })),
  };
}

interface Following {
  meshProvider: string;
  show(release: ReleaseView): void;
  fail(error: ViewError): void;
}

/** A Canary with its routes, read together. */
interface Seen {
  snapshot: CanarySnapshot;
  routes: RoutesRead;
}

/** Shows the release when it is opened, and after each change of the objects on its screen. */
function followRelease(
  { cluster, clock = systemClock }: ViewsOf,
  { namespace, name }: CanaryName,
  { meshProvider, show, fail }: Following,
): () => void {
  const stopped = new AbortController();
  const read = async (): Promise<Seen> => {
    const snapshot = await readSnapshot(cluster, namespace, name, clock);
    return { snapshot, routes: await readRoutes(cluster, snapshot, meshProvider) };
  };
  const run = async () =>
    follow({
      ...{ cluster, clock, read, signal: stopped.signal, first: await read() },
      watchedBy: ({ snapshot, routes }) => [...watchedByScreen(snapshot), ...routes.watched],
      show: (seen) => show(releaseView(seen)),
      connection: (lost) => lost !== undefined && fail(new ViewError(502, `connection lost: ${lost}; trying again`)),
    });
  answered(run).catch((error: unknown) => {
    if (!stopped.signal.aborted) fail(error instanceof ViewError ? error : new ViewError(502, 'this Canary cannot be shown'));
  });
  return () => stopped.abort();
}

/** Causes of a release that nothing holds: its next check, and time for proxies. */
const BY_ITSELF: ReadonlySet<string> = new Set<Cause>(['Running', 'Propagating']);

export function releaseView({ snapshot, routes: { routes, note } }: Seen): ReleaseView {
  const { waits, diagnosis, also } = whyOf(snapshot);
  const { targetPods, primaryPods, atMs = 0 } = snapshot;
  const report = reportOf(snapshot);
  const pods = [...primaryPods.map((pod) => podView(pod, 'primary')), ...targetPods.map((pod) => podView(pod, 'canary'))];
  const left = pods.length - MOST_PODS;
  const notes = [note, left > 0 ? `${left} further pods are not shown` : undefined];
  const release = parseStatus(snapshot.raw.status)?.release;
  return {
    ...report,
    checks: report.checks.map((one) => ({ ...one, ...boundsOf(one.check, snapshot.canary?.spec.analysis.metrics) })),
    compared: comparedViews(report.compared ?? []),
    events: report.events.slice(-MOST_EVENTS),
    release: release?.run ?? 0,
    ...(report.release?.steps && { steps: report.release.steps }),
    weights: (release?.weights ?? []).map(({ atMs: at, weight }) => ({ atMs: at, value: weight })),
    waits: recordedWaits(snapshot.raw),
    readAtMs: atMs,
    pods: pods.slice(0, MOST_PODS),
    isHeld: waits && !BY_ITSELF.has(diagnosis.cause),
    causes: [diagnosis, ...also].map(saidOnce),
    routes,
    hidden: [...snapshot.hidden, ...notes.flatMap((one) => one ?? [])],
  };
}

function podView(pod: KubeObject, side: PodView['side']): PodView {
  const { name, state, ready, restarts } = podOf(pod);
  const { containers } = asRecord(pod.spec);
  const images = (Array.isArray(containers) ? containers : []).map((one) => String(asRecord(one).image ?? ''));
  return { name, side, images, ready, restarts, phase: state };
}

const STATUS_OF: Readonly<Record<NoAnswer, ViewError['status']>> = { notFound: 404, no: 409, refused: 409, timedOut: 502, unanswered: 502 };

/** The answer, or an error with words for the user; a fault of ours has no such words. */
async function answered<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ReadingError) throw new ViewError(STATUS_OF[error.why], error.message, { cause: error });
    if (isForbidden(error)) throw new ViewError(403, error.message, { cause: error });
    if (isOfCluster(error)) throw new ViewError(502, error instanceof Error ? error.message : 'no answer of the cluster', { cause: error });
    throw error;
  }
}

/** The comparison with the primary as the page shows it. */
export const comparedViews = (compared: readonly ComparedReport[]): ComparedView[] =>
  compared.map(({ metric, verdict, sentence, decides, windows, canary, primary, against, inFavour }) => ({
    ...{ metric, verdict, sentence, decides },
    ...(windows === 0
      ? { canary: '', primary: '', against: '', inFavour: '' }
      : { canary: sideText(canary), primary: sideText(primary), against: `${against}%`, inFavour: `${inFavour}%` }),
  }));

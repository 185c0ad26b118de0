import { type KubeObject, type ObjectRef, refOf } from '../../../src/api/kube-object.ts';
import { UnreachableError } from '../../../src/kube/errors.ts';
import { raw } from '../../fakes/raw.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { startUsers, type Users } from '../../scenarios/users.ts';
import { type Entry, isUnderAnalysis, NAMESPACES, ofKind, type Recording, SIDES, type Side } from '../recording/recording.ts';
import { REPLICAS, userApplication } from '../scenarios/application.ts';
import { canaryObjects, deadlinePatch, fixtureOf } from '../scenarios/canary.ts';
import type { NamedScenario } from '../scenarios/scenario.ts';
import type { BothControllers } from './both-controllers.ts';

/** A side that does not become so is a difference, and no reason to wait for ever. */
const INITIALIZED_WITHIN_MS = 300_000;
/** Flagger never initializes a Service target (DF49), and Serin never initializes a Canary that it refuses (DF634). */
const NEVER_WITHIN_MS = 60_000;
const SCALED_DOWN_WITHIN_MS = 60_000;
const ENDED_WITHIN_MS = 170_000;
/** Longer than an interval, the delay before a side is scaled down, and a grace period together. */
const QUIET_MS = 25_000;
const LOOK_AGAIN_MS = 500;
const USER_PAUSE_MS = 1_000;
const LAST_ANSWERS = 3;

/** Plays one scenario on both sides at once, each action at the same moment on both. */
export async function runScenario(both: BothControllers, scenario: NamedScenario): Promise<Recording> {
  const { cluster, journal } = both;
  const apps = SIDES.map((side) => ({ side, namespace: NAMESPACES[side], ...userApplication(scenario, NAMESPACES[side]) }));
  const create = (object: KubeObject) => retried(() => cluster.apply(object, { fieldManager: 'user' }));
  const recordingOf = () => journal.of(scenario.name);
  journal.open(scenario.name);

  for (const { objects, namespace } of apps) {
    for (const object of objects) await create(object);
    for (const object of fixtureOf(scenario).objects?.({ name: scenario.name, namespace }) ?? []) await create(annotated(object));
  }
  await Promise.all(apps.map(({ objects: [workload] }) => isAvailable(both, workload as KubeObject)));

  await Promise.all(
    apps.map(async ({ side, namespace }) => {
      for (const object of canaryObjects(scenario, namespace, both.receivers[side])) await create(object);
    }),
  );
  const initializedWithinMs = neverInitializes(scenario) ? NEVER_WITHIN_MS : INITIALIZED_WITHIN_MS;
  await boundedWait(initializedWithinMs, () => SIDES.every((side) => lastPhase(recordingOf()[side]) === 'Initialized'));
  // Both have put the canary's pods away.
  await boundedWait(
    INITIALIZED_WITHIN_MS,
    () => neverInitializes(scenario) || SIDES.every((side) => canaryPods(recordingOf()[side]) === 0),
  );

  // Before that, some providers have no route at all.
  const users = apps.map(({ side, namespace }) => ({ side, crowd: usersOf(both, scenario, namespace) }));

  for (const { pushed } of apps) for (const object of pushed) await create(object);
  await Promise.all(apps.flatMap(({ pushed }) => pushed.map((workload) => isAvailable(both, workload))));
  await Promise.all(apps.map(({ namespace }) => retried(() => cluster.patch(canaryRef(scenario, namespace), deadlinePatch(scenario)))));
  await Promise.all(apps.map(({ push }) => retried(() => cluster.patch(refOf(push.object), push.patch))));
  const begun = new Map(SIDES.map((side) => [side, recordingOf()[side].length]));
  const ofRelease = (side: Side) => recordingOf()[side].slice(begun.get(side));

  if (scenario.pods === 'lost' || scenario.pods === 'one-breaks')
    await Promise.all(
      apps.map(async ({ side, namespace }) => {
        // After the first step of each side: at one moment, the other could be a step further.
        await boundedWait(ENDED_WITHIN_MS, () => isUnderAnalysis(ofRelease(side)) || hasEnded(ofRelease(side)));
        if (scenario.pods === 'lost') await deletePods(both, namespace, scenario.name);
        else both.breakOnePod(namespace, scenario.name);
      }),
    );
  await boundedWait(ENDED_WITHIN_MS, () =>
    SIDES.every((side) => hasEnded(ofRelease(side)) || isRefused(side, scenario) || isHeld(both, side, scenario)),
  );
  // The side without traffic is scaled down some time after the end.
  await boundedWait(SCALED_DOWN_WITHIN_MS, () =>
    SIDES.every((side) => !hasEnded(ofRelease(side)) || canaryPods(recordingOf()[side]) === 0),
  );
  await boundedWait(QUIET_MS * 2, () => journal.quietMs(scenario.name) > QUIET_MS);
  for (const { crowd } of users) crowd.forget();
  await Promise.all(users.map(({ crowd }) => crowd.pace(LAST_ANSWERS)));
  for (const { side, crowd } of users) {
    await crowd.stop();
    journal.add(side, scenario.name, { kind: 'traffic', lost: crowd.lost(), versions: Object.keys(crowd.byVersion()).sort() });
  }
  const recording = structuredClone(recordingOf());
  await Promise.all(SIDES.map((side) => putAway(both, side, scenario.name)));
  return recording;
}

/** Stops both controllers' work for a scenario and removes its pods: the next scenarios need the machine. */
async function putAway({ cluster }: BothControllers, side: Side, name: string): Promise<void> {
  const namespace = NAMESPACES[side];
  const canary = canaryRef({ name }, namespace);
  // Flagger sends an event for a suspended Canary at every tick, Serin restores the target of a deleted one.
  await retried<unknown>(() => (side === 'flagger' ? cluster.delete(canary) : cluster.patch(canary, { spec: { suspend: true } })));
  for (const kind of ['Deployment', 'DaemonSet'])
    for (const each of [name, `${name}-primary`, `${name}-v1`, `${name}-v2`])
      await retried(() => cluster.delete({ apiVersion: 'apps/v1', kind, name: each, namespace }, { propagationPolicy: 'Background' }));
}

const neverInitializes = ({ target, routing }: NamedScenario): boolean => target === 'Service' || routing === 'labels-beside-gateways';

const canaryRef = ({ name }: { name: string }, namespace: string): ObjectRef => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  name,
  namespace,
});

/** Few requests, for all scenarios share two cores. */
function usersOf({ mesh }: BothControllers, scenario: NamedScenario, namespace: string): Users {
  const { host, headers } = fixtureOf(scenario);
  const app = { name: scenario.name, namespace };
  return startUsers(mesh.urls, host(app), headers?.(app), { pauseMs: USER_PAUSE_MS });
}

/** On a busy machine the API server closes a connection under a request that is just being sent. */
async function retried<T>(write: () => Promise<T>, times = 5): Promise<T> {
  return write().catch((error: unknown) => {
    if (!(error instanceof UnreachableError) || times === 1) throw error;
    return retried(write, times - 1);
  });
}

/** Flagger 1.44.0 ends with a panic when it meets an Ingress of Skipper without annotations (DF500). */
const annotated = ({ metadata, ...object }: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...metadata, annotations: { 'example.org/owner': 'shop', ...metadata.annotations } },
});

/** True when it became so within the bound. */
async function boundedWait(boundMs: number, isSo: () => boolean): Promise<boolean> {
  const deadlineMs = performance.now() + boundMs;
  while (!isSo()) {
    if (performance.now() > deadlineMs) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return true;
}

async function isAvailable({ cluster }: BothControllers, workload: KubeObject): Promise<void> {
  await eventually(
    `${workload.kind} ${workload.metadata.namespace}/${workload.metadata.name} is available`,
    async () => raw(await cluster.get(refOf(workload)))?.status ?? {},
    (status) => status.availableReplicas === REPLICAS || (status.numberAvailable ?? 0) > 0,
  );
}

async function deletePods({ cluster }: BothControllers, namespace: string, app: string): Promise<void> {
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, { labelSelector: `app=${app}` });
  await Promise.all(items.map(({ metadata: { name } }) => cluster.forceDelete({ apiVersion: 'v1', kind: 'Pod', namespace, name })));
}

const statuses = (entries: readonly Entry[]) => ofKind(entries, 'status');
const lastPhase = (entries: readonly Entry[]): string | undefined => statuses(entries).at(-1)?.phase;
const canaryPods = (entries: readonly Entry[]): number | undefined =>
  ofKind(entries, 'pods').findLast(({ role }) => role === 'canary')?.desired;
const hasEnded = (entries: readonly Entry[]): boolean => ['Succeeded', 'Failed'].includes(lastPhase(entries) ?? '');
const isRefused = (side: Side, { routing }: NamedScenario): boolean => side === 'serin' && routing === 'labels-beside-gateways';
/** A gate that never opens has been called often enough to show how the release is held. */
const isHeld = ({ answers }: BothControllers, side: Side, { name, gate }: NamedScenario): boolean =>
  gate.endsWith('-closed') && answers.asked(side, name, 'gate') >= 4;

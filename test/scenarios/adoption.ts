import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { isUpdatedBy } from '../../src/kube/taken-over-fields.ts';
import { isChosen, type Part, titleOf, WHOLE } from '../fakes/covering-part.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { type ControllerProcess, startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { FlaggerApplication, type Left, NAME, templateOf } from './flagger/flagger-application.ts';
import { matched, mirrored, type ScalerKind, scalers, sticky, weighted } from './flagger/objects.ts';
import { startUsers, type Users } from './users.ts';
import { afterAll, beforeAll } from './world.ts';

interface Case extends Omit<Left, 'analysis'> {
  analysis?: Record<string, unknown>;
  /** Phase in which it rests, version of its primary then, and weights of the canary until then, first to last. */
  ends: { phase: string; primary: string; weights: readonly number[] };
  /** Pushed after the other controller has stopped, before Serin starts. */
  push?: string;
  /** The primary's pods were restarted with `kubectl rollout restart` after the other controller had stopped. */
  restartsPrimary?: boolean;
  /** Its primary rolls. */
  rolls?: boolean;
}

const plan = { stepWeight: 10, maxWeight: 50 };
const counted = { iterations: 5, stepWeight: null };
const underWay = { version: '2', replicas: 2 } as const;
const canaryMatch = [{ headers: { 'x-canary': { exact: 'always' } } }];
const cookies = { canary: 'side=QwErTyUiOp', primary: 'main=AsDfGhJkLz' };
const promotedAt = (weights: readonly number[], version = '2') => ({ phase: 'Succeeded', primary: version, weights });

/** Each phase in which Flagger can have been stopped. */
const CASES: Readonly<Record<string, Case>> = {
  initializing: { phase: 'Initializing', replicas: 2, isApexOnTarget: true, ends: { phase: 'Initialized', primary: '1', weights: [0] } },
  initialized: { phase: 'Initialized', http: weighted(NAME, 0), ends: { phase: 'Initialized', primary: '1', weights: [0] } },
  configured: {
    phase: 'Initialized',
    http: weighted(NAME, 0),
    configs: { settings: { color: 'blue' } },
    pods: { containers: [{ ...templateOf('1').spec.containers[0], envFrom: [{ configMapRef: { name: 'settings' } }] }] },
    status: { trackedConfigs: { 'configmap/settings': 'f234cb93c08ad64e' } },
    ends: { phase: 'Initialized', primary: '1', weights: [0] },
  },
  succeeded: {
    phase: 'Succeeded',
    version: '2',
    promoted: true,
    http: weighted(NAME, 0),
    status: { failedChecks: 1 },
    ends: promotedAt([0]),
  },
  'restarted-by-hand': {
    phase: 'Succeeded',
    version: '2',
    promoted: true,
    http: weighted(NAME, 0),
    restartsPrimary: true,
    ends: promotedAt([0]),
  },
  failed: { phase: 'Failed', version: '2', http: weighted(NAME, 0), ends: { phase: 'Failed', primary: '1', weights: [0] } },
  'progressing-at-30': {
    ...underWay,
    phase: 'Progressing',
    http: weighted(NAME, 30),
    rolls: true,
    ends: promotedAt([30, 40, 50, 0]),
  },
  'progressing-sticky': {
    ...underWay,
    phase: 'Progressing',
    http: sticky(NAME, 30, cookies),
    status: { sessionAffinityCookie: cookies.canary, primarySessionAffinityCookie: cookies.primary },
    analysis: { sessionAffinity: { cookieName: 'side', primaryCookieName: 'main' } },
    rolls: true,
    ends: promotedAt([30, 40, 50, 0]),
  },
  'progressing-matched': {
    ...underWay,
    phase: 'Progressing',
    http: matched(NAME, canaryMatch),
    status: { canaryWeight: 0, iterations: 2 },
    analysis: { ...counted, match: canaryMatch },
    rolls: true,
    ends: promotedAt([100, 0]),
  },
  'progressing-mirrored': {
    ...underWay,
    phase: 'Progressing',
    http: mirrored(NAME),
    analysis: { ...plan, mirror: true },
    rolls: true,
    ends: promotedAt([0, 10, 20, 30, 40, 50, 0]),
  },
  'progressing-blue-green': {
    ...underWay,
    phase: 'Progressing',
    http: weighted(NAME, 0),
    status: { iterations: 3 },
    analysis: counted,
    rolls: true,
    ends: promotedAt([0, 100, 0]),
  },
  'progressing-smi': {
    ...underWay,
    phase: 'Progressing',
    split: 30,
    spec: { provider: 'smi:v1alpha2' },
    rolls: true,
    ends: promotedAt([]),
  },
  'progressing-without-mesh': {
    ...underWay,
    phase: 'Progressing',
    status: { iterations: 3 },
    analysis: counted,
    spec: { provider: 'kubernetes' },
    rolls: true,
    ends: promotedAt([]),
  },
  'waiting-promotion': {
    ...underWay,
    phase: 'WaitingPromotion',
    http: weighted(NAME, 50),
    status: { canaryWeight: 0, iterations: -1 },
    rolls: true,
    ends: promotedAt([50, 0]),
  },
  promoting: { ...underWay, phase: 'Promoting', promoted: true, http: weighted(NAME, 50), ends: promotedAt([50, 0]) },
  finalising: { ...underWay, phase: 'Finalising', promoted: true, http: weighted(NAME, 0), ends: promotedAt([0]) },
  scaled: {
    phase: 'Initialized',
    http: weighted(NAME, 0),
    scaler: 'HorizontalPodAutoscaler',
    ends: { phase: 'Initialized', primary: '1', weights: [0] },
  },
  'scaled-by-keda': {
    phase: 'Initialized',
    http: weighted(NAME, 0),
    scaler: 'ScaledObject',
    ends: { phase: 'Initialized', primary: '1', weights: [0] },
  },
  'scaled-progressing': {
    ...underWay,
    phase: 'Progressing',
    http: weighted(NAME, 30),
    scaler: 'HorizontalPodAutoscaler',
    rolls: true,
    ends: promotedAt([30, 40, 50, 0]),
  },
  'scaled-by-keda-pushed': {
    phase: 'Initialized',
    http: weighted(NAME, 0),
    scaler: 'ScaledObject',
    push: '2',
    rolls: true,
    ends: promotedAt([0, 10, 20, 30, 40, 50, 0]),
  },
  'pushed-at-rest': { phase: 'Initialized', http: weighted(NAME, 0), push: '2', rolls: true, ends: promotedAt([0, 10, 20, 30, 40, 50, 0]) },
  'pushed-under-analysis': {
    ...underWay,
    phase: 'Progressing',
    http: weighted(NAME, 30),
    push: '3',
    rolls: true,
    ends: promotedAt([30, 0, 10, 20, 30, 40, 50, 0], '3'),
  },
  'pushed-in-promotion': {
    ...underWay,
    phase: 'Promoting',
    promoted: true,
    http: weighted(NAME, 50),
    push: '3',
    rolls: true,
    ends: promotedAt([50, 0, 10, 20, 30, 40, 50, 0], '3'),
  },
};

interface Adopted {
  left: FlaggerApplication;
  users: Users;
  /** Weights of the canary in the last rule of the route, each once in a row. */
  weights: () => number[];
  pods: readonly string[];
  scalers: readonly KubeObject[];
  stop(): Promise<void>;
}

/** Taking over Canaries from Flagger; only the cases of a part. */
export function describeAdoption(environmentOf: () => Environment, part: Part = WHOLE): void {
  it('I7: a Canary that Flagger left half reverted is restored before what it owns is deleted with it', async () => {
    const environment = environmentOf();
    const left = new FlaggerApplication(environment, 'adopt-terminating');
    const analysis = { ...plan };
    await left.stands({
      phase: 'Succeeded',
      version: '2',
      promoted: true,
      http: weighted(NAME, 0),
      analysis,
      spec: { revertOnDeletion: true },
    });
    await environment.cluster.delete(left.canary);
    await left.writesStatus('Terminating');
    const users = startUsers(environment.mesh.urls, left.host);
    const controller = startController(environment, { namespace: left.namespace });
    try {
      const hint = () => controller.logOf(`${left.namespace}/${NAME}`);
      await left.until(left.canary, 'is gone', (now) => now === undefined, hint);
      await left.until(left.primary, 'is gone', (now) => now === undefined, hint);
      const service = await left.get(left.ref('v1', 'Service'));
      expect([raw(service)?.spec.selector, service?.metadata.ownerReferences]).toEqual([{ app: NAME }, undefined]);
      expect(raw(await left.get(left.target))?.spec.replicas).toBe(2);
      expect(users.lost(), hint()).toEqual([]);
    } finally {
      await users.stop();
      await controller.stop();
    }
  });

  describe('adoption', () => {
    const cases = Object.entries(CASES).filter((_, row) => isChosen(part, row, 0));
    const adopted = new Map<string, Adopted>();
    let controller: ControllerProcess;
    beforeAll(async () => {
      await Promise.all(cases.map(async ([name, one]) => adopted.set(name, await standing(environmentOf(), name, one))));
      controller = startController(environmentOf());
    }, 300_000);
    afterAll(async () => {
      await controller?.stop();
      await Promise.all([...adopted.values()].map((one) => one.stop()));
    });

    const title = `E3: %s is taken over where it stands, with no pod restarted, no weight changed and no request lost (${titleOf(part)})`;
    it.concurrent.each(cases)(title, async (name, { ends, push, rolls = false, scaler }) => {
      const { left, users, weights, pods } = adopted.get(name) as Adopted;
      const hint = () => `weights ${weights().join(', ')}\n${controller.logOf(`${left.namespace}/${NAME}`)}\n`;
      const version = (now: KubeObject | undefined) => raw(now)?.spec.template.spec.containers[0].image;
      const primary = await left.until(
        left.primary,
        `is of version ${ends.primary}`,
        (now) => version(now) === `${NAME}:${ends.primary}`,
        hint,
      );
      const rested = await left.until(
        left.canary,
        `is idle as ${ends.phase}`,
        (now) => raw(now)?.status?.phase === ends.phase && raw(now).status.release?.step === 'resting',
        hint,
      );
      if (ends.weights.length > 0) expect(push === undefined ? weights() : withoutDips(weights()), hint()).toEqual(ends.weights);
      if (!rolls) expect(await podsOf(environmentOf(), left, `${NAME}-primary`), 'pods of the primary').toEqual(pods);
      if (!rolls && ends.phase !== 'Failed') expect(raw(rested)?.status.lastAppliedSpec).toBe(raw(rested)?.status.lastPromotedSpec);
      expect(raw(rested)?.status.lastAppliedSpec).toMatch(/^s1:/);
      expect(users.lost(), hint()).toEqual([]);
      expect(version(primary)).toBe(`${NAME}:${ends.primary}`);
      for (const object of [left.primary, ...(await generated(environmentOf(), left))])
        await left.until(object, 'is ours', (now) => now !== undefined && isOurs(now), hint);
      if (scaler) await scalersStand(environmentOf(), adopted.get(name) as Adopted, scaler, hint);
    });
  });
}

/**
 * Pods that were just scaled down and are needed again for the pushed revision can still count as available for a moment: such a canary loses its traffic until
 * they are available (CanaryUnavailable). Adoption is complete by then.
 */
function withoutDips(weights: readonly number[]): number[] {
  const isDip = (index: number) => weights[index] === 0 && weights[index - 1] === weights[index + 1];
  return weights.filter((_, index) => !isDip(index) && !isDip(index - 1));
}

async function standing(environment: Environment, name: string, one: Case): Promise<Adopted> {
  const left = new FlaggerApplication(environment, `adopt-${name}`);
  await left.stands({
    ...one,
    analysis: one.analysis?.iterations || one.analysis?.stepWeight ? withoutNulls(one.analysis) : { ...plan, ...one.analysis },
  });
  if (one.restartsPrimary) await left.restarts(left.primary);
  const pods = await podsOf(environment, left, `${NAME}-primary`);
  const seen: number[] = [];
  const note = ({ spec }: Raw) => {
    const rule = (spec.http ?? []).find(
      ({ route }: { route: { destination: { host: string } }[] }) =>
        route.some(({ destination }) => destination.host === `${NAME}-canary`) && !isSticky(spec.http),
    );
    const last = rule ?? spec.http.at(-1);
    const weight =
      last?.route.find(({ destination }: { destination: { host: string } }) => destination.host === `${NAME}-canary`)?.weight ?? 0;
    if (seen.at(-1) !== weight) seen.push(weight);
  };
  const watch = environment.cluster.watch(
    { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', namespace: left.namespace },
    { onEvent: ({ object }) => note(object), onList: (items) => items.forEach(note) },
  );
  await watch.synced;
  const url = environment.mesh.urls[name.length % environment.mesh.urls.length] ?? '';
  const users = startUsers([url], left.host);
  if (one.push !== undefined) await left.push(one.push);
  return {
    left,
    users,
    pods,
    scalers: one.scaler ? await scalersOf(environment, left, one.scaler) : [],
    weights: () => [...seen],
    async stop() {
      watch.stop();
      await users.stop();
    },
  };
}

const PAUSED = 'autoscaling.keda.sh/paused-replicas';
/** Kinds of which the user has objects of their own. */
const USERS = new Set<string>(['ConfigMap', 'HorizontalPodAutoscaler', 'ScaledObject']);

const isSticky = (http: object[]): boolean => JSON.stringify(http).includes('"Cookie"');

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

async function podsOf({ cluster }: Environment, { namespace }: FlaggerApplication, app: string): Promise<string[]> {
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, { labelSelector: `app=${app}` });
  return items.map(({ metadata }) => metadata.uid ?? '').sort();
}

/** The user's own and one of the primary, both the same objects as before; between releases KEDA holds the target at zero. */
async function scalersStand(
  environment: Environment,
  { left, scalers: before }: Adopted,
  kind: ScalerKind,
  hint: () => string,
): Promise<void> {
  const found = await scalersOf(environment, left, kind);
  expect(found.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  const { apiVersion, spec } = scalers[kind];
  expect(found.map((one) => one.spec)).toMatchObject([spec(NAME), spec(`${NAME}-primary`)]);
  if (kind !== 'ScaledObject') return;
  await left.until(left.ref(apiVersion, kind), 'is paused', (now) => now?.metadata.annotations?.[PAUSED] === '0', hint);
}

/** Scalers of a kind, sorted by name. */
async function scalersOf({ cluster }: Environment, { namespace }: FlaggerApplication, kind: ScalerKind): Promise<KubeObject[]> {
  const { items } = await cluster.list({ apiVersion: scalers[kind].apiVersion, kind, namespace });
  return items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
}

/** Owned by the anchor, and nothing in it is the other controller's. */
function isOurs(object: KubeObject): boolean {
  const owners = (object.metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`);
  // The Service that its users had before has no owner.
  const isUsers = owners.length === 0 && object.kind === 'Service' && object.metadata.name === NAME;
  // Until our first promotion, only the owner of copies changes.
  return (
    (object.kind === 'ConfigMap' || !isUpdatedBy(object, 'flagger')) &&
    (isUsers || owners.join() === `ControllerRevision ${NAME}-serin-anchor`)
  );
}

async function generated({ cluster }: Environment, { namespace }: FlaggerApplication): Promise<ObjectRef[]> {
  const kinds = [
    ['v1', 'Service'],
    ['v1', 'ConfigMap'],
    ['networking.istio.io/v1beta1', 'VirtualService'],
    ['networking.istio.io/v1beta1', 'DestinationRule'],
    ['split.smi-spec.io/v1alpha2', 'TrafficSplit'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler'],
    ['keda.sh/v1alpha1', 'ScaledObject'],
  ] as const;
  const all = await Promise.all(
    kinds.map(async ([apiVersion, kind]) =>
      (await cluster.list({ apiVersion, kind, namespace })).items
        .filter(({ metadata }) => !USERS.has(kind) || /^(settings|shop)-primary$/.test(metadata.name))
        .map(({ metadata: { name } }) => ({ apiVersion, kind, name, namespace })),
    ),
  );
  return all.flat();
}

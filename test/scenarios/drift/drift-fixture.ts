import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../../src/api/kube-object.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { isAlreadyExists, isConflict } from '../../../src/kube/errors.ts';
import { raw } from '../../fakes/raw.ts';
import type { ControllerProcess } from '../controller.ts';
import type { Environment } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { canaryFor, parsed } from '../providers/canary-for.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import { APP, Scenario } from '../scenario.ts';
import { routerOf } from '../shares/split-app.ts';
import { monotonicMs, sleep } from '../world.ts';
import type { DriftFixture } from './drift-run.ts';
import type { LiveRelease } from './live-release.ts';

const CONTEST_MS = 8_000;

/** In real time: a gate holds the release at each weight. */
export async function startDriftFixture(
  environment: Environment,
  controller: ControllerProcess,
  fixture: ProviderFixture,
  plan: object,
): Promise<DriftFixture> {
  const { cluster } = environment;
  const app = { name: APP, namespace: `drift-${fixture.provider.replaceAll(':', '-')}` };
  const scenario = await Scenario.begin(environment, controller, app.namespace);
  const { given, when, then, hooks } = scenario;
  const target = fixture.application?.(cluster, app.namespace);
  if (target) await target.create();
  else await given.aDeployment();
  for (const object of fixture.objects?.(app) ?? []) await cluster.apply(object, { fieldManager: 'user' });
  hooks.answers('step', 403);
  const gate = { webhooks: [{ name: 'step', type: 'confirm-traffic-increase', url: hooks.url('step') }] };
  const canary = canaryFor(fixture, app, { ...plan, ...gate });
  const { analysis, ...spec } = raw(canary).spec;
  await given.aCanary({ ...analysis, interval: '500ms' }, spec);
  const journal = await keepJournal(cluster, routerOf(fixture).watches(parsed(canary)));
  if (target) await when.thisHappens(() => target.push('2'));
  else await when.imageChanges('2');
  await then.canaryIs('Progressing');
  const held = async (): Promise<void> => {
    hooks.answers('step', 403);
    // Called once more after it was closed: no earlier request is in flight any longer.
    await then.hookWasCalled('step', hooks.calls('step').length + 2);
  };
  const release: LiveRelease = {
    ...journal.edits,
    isPausedBetweenCalls: false,
    find: (ref) => cluster.get(ref),
    onePass: async (isSo) => void (await eventually('one pass', isSo, Boolean, journal.describe)),
    writes: async () => {
      await eventually('the watch has caught up', journal.isCurrent, Boolean, journal.describe);
      return journal.writes();
    },
    async nextStep() {
      const weight = async () => raw(await cluster.get(refOf(canary)))?.status?.canaryWeight;
      const before = await weight();
      hooks.answers('step', 200);
      await eventually(`a weight after ${before}%`, weight, (now) => now !== before, journal.describe);
      await held();
    },
    nowMs: () => monotonicMs(),
    wait: (ms) => sleep(ms),
    eventually: async (what, isSo) => void (await eventually(what, isSo, Boolean, journal.describe)),
  };
  return {
    release,
    canary,
    contestMs: CONTEST_MS,
    async stop() {
      journal.stop();
      await scenario.end();
    },
  };
}

interface Journal {
  /** Writes of others, which the journal distinguishes from those of Serin. */
  edits: Pick<LiveRelease, 'put' | 'create' | 'patch' | 'delete'>;
  /** Changes of these objects, their status apart, that no foreign hand has made. */
  writes(): number;
  /** Everything that the server holds has arrived here. */
  isCurrent(): Promise<boolean>;
  describe(): string;
  stop(): void;
}

async function keepJournal(cluster: Cluster, refs: readonly ObjectRef[]): Promise<Journal> {
  const known = new Map<string, KubeObject>();
  const foreign = new Set<string>();
  const changes: { version: string; what: string }[] = [];
  const contentOf = (object: KubeObject | undefined) => {
    if (!object) return undefined;
    const { labels, annotations, ownerReferences, finalizers } = object.metadata;
    const { status: _status, metadata: _metadata, ...rest } = object;
    return { ...rest, labels, annotations, ownerReferences, finalizers };
  };
  const hear = (ref: ObjectRef, object: KubeObject | undefined): void => {
    const key = refKey(ref);
    const before = known.get(key);
    if (object) known.set(key, object);
    else known.delete(key);
    if (object && !isDeepStrictEqual(contentOf(before), contentOf(object)))
      changes.push({ version: object.metadata.resourceVersion ?? '', what: `${ref.kind} ${ref.name}` });
  };
  const watches = refs.map((ref) => {
    const { apiVersion, kind, name, namespace } = ref;
    return cluster.watch(
      { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }) },
      {
        onEvent: ({ type, object }) => hear(ref, type === 'DELETED' ? undefined : object),
        onList: ([object]) => hear(ref, object),
      },
      { fieldSelector: `metadata.name=${name}` },
    );
  });
  await Promise.all(watches.map(({ synced }) => synced));
  const note = (object: KubeObject): void => void foreign.add(object.metadata.resourceVersion ?? '');
  const bySerin = () => changes.filter(({ version }) => !foreign.has(version));
  const put = async (object: KubeObject): Promise<void> => {
    const { resourceVersion = '' } = (await cluster.get(refOf(object)))?.metadata ?? {};
    try {
      note(await cluster.replace({ ...object, metadata: { ...object.metadata, resourceVersion } }));
    } catch (error) {
      // A status of another writer came in between.
      if (!isConflict(error)) throw error;
      await put(object);
    }
  };
  return {
    edits: {
      put,
      async create(object) {
        try {
          note(await cluster.create(object));
        } catch (error) {
          // Serin was quicker.
          if (!isAlreadyExists(error)) throw error;
          await put(object);
        }
      },
      patch: async (ref, patch) => note(await cluster.patch(ref, patch)),
      delete: (ref) => cluster.delete(ref),
    },
    writes: () => bySerin().length,
    async isCurrent() {
      const now = await Promise.all(refs.map((ref) => cluster.get(ref)));
      return now.every((object, index) => {
        const ref = refs[index];
        return ref !== undefined && known.get(refKey(ref))?.metadata.resourceVersion === object?.metadata.resourceVersion;
      });
    },
    describe: () => JSON.stringify({ changes: changes.slice(-6), foreign: [...foreign].slice(-6) }),
    stop() {
      for (const watch of watches) watch.stop();
    },
  };
}

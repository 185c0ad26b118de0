import { beforeEach, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { SeenConfig } from '../../api/canary-status.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { deployment } from '../../workloads/deployment/deployment.ts';
import { RefusedTrafficFields } from '../admission/refused-traffic-fields.ts';
import { ControllerConfig } from '../config.ts';
import { warningsOf } from '../status/warnings.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import type { ConfigState } from '../watch/config-state.ts';
import { ConfigTracker, followAll } from './config-tracker.ts';

const KEY = 'configmap/settings';
const { signal } = new AbortController();
const metadata = { name: 'podinfo', namespace: 'test' };
const target: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { ...metadata, uid: 't-1', generation: 1 },
  spec: {
    replicas: 0,
    template: { spec: { containers: [{ name: 'web', image: '1', envFrom: [{ configMapRef: { name: 'settings' } }] }] } },
  },
};

/** No copy is made here. */
const unused = async (): Promise<never> => {
  throw new Error('not expected');
};

let version: number;
let generation: number;
/** Set: the config is optional and missing. */
let missingSince: string | undefined;
/** Another controller has made a primary, and it exists. */
let hasPrimary: boolean;
/** Others of the namespace are watched, and a watch of all is forbidden. */
let tooMany: boolean;
let reads: string[];
let learned: KubeObject[];
let canary: Canary;
let look: ConfigTracker;
let watched: ClusterView['find'];

beforeEach(() => {
  version = 7;
  generation = 1;
  missingSince = undefined;
  hasPrimary = false;
  tooMany = false;
  reads = [];
  learned = [];
  const get = async ({ kind }: ObjectRef): Promise<KubeObject> => {
    reads.push(kind);
    if (kind !== 'ConfigMap') return { ...target, spec: { ...raw(target).spec, replicas: 3 } };
    return { apiVersion: 'v1', kind, metadata: { name: 'settings', uid: 'c-1', resourceVersion: `${version}` }, data: { color: 'blue' } };
  };
  const stateNow = async (): Promise<ConfigState> =>
    tooMany
      ? { state: 'unwatched' }
      : missingSince === undefined
        ? { state: 'present', uid: 'c-1', resourceVersion: `${version}`, isLive: false }
        : { state: 'absent', resourceVersion: missingSince };
  const refs = () => (deployment.configs?.(target) ?? []).map((ref) => ({ ...ref, optional: missingSince !== undefined }));
  watched = ({ name }: ObjectRef) => {
    const object = { ...target, metadata: { ...target.metadata, generation } };
    if (name === 'podinfo-primary' && hasPrimary) return { object, isEstablished: true };
    return name === 'podinfo' ? { object, revision: `s1:${generation}`, configs: refs() } : undefined;
  };
  look = new ConfigTracker(
    {
      cluster: { get, create: unused, delete: unused },
      anchors: { reference: unused },
      salts: { of: unused },
      configWatches: { follow: () => undefined, state: stateNow },
      config: ControllerConfig.parse({}),
      view: { find: watched, all: () => [], isListed: () => true, learn: (object) => void learned.push(object) },
      announceOn: () => undefined,
      clock: handClock(),
    },
    'test/podinfo',
  );
  canary = initialized(aCanary()).canary;
});

function recorded(configs: Record<string, SeenConfig>): Canary {
  const { status } = canary;
  if (!status?.release) throw new Error('not initialized');
  return { ...canary, status: { ...status, release: { ...status.release, configs } } };
}

it('E56: a changed config is news, and the target can know more of it than its watch, so it is looked at after the config', async () => {
  await look.read(recorded({ [KEY]: { uid: 'c-1', resourceVersion: '6', checksum: 'old' } }), deployment, signal);
  expect(reads).toEqual(['ConfigMap', 'Deployment']);
  expect(learned.map(({ spec }: Raw) => spec.replicas)).toEqual([3]);
});

it.each([
  { what: 'a new Canary has no pods to analyse, and its target is not looked at', has: false, expected: ['ConfigMap'] },
  { what: 'one whose primary another controller made, and whose status is gone, has', has: true, expected: ['ConfigMap', 'Deployment'] },
])('E56: $what', async ({ has, expected }) => {
  hasPrimary = has;
  const { status: _, ...withoutStatus } = canary;
  expect(await look.read(withoutStatus, deployment, signal)).toBeUndefined();
  expect(reads).toEqual(expected);
});

it('I8: an unmodified config costs no request, neither at the next look nor after a restart', async () => {
  const known = recorded({ [KEY]: { uid: 'c-1', resourceVersion: '7', checksum: 'x' } });
  await look.read(known, deployment, signal);
  expect(reads).toEqual([]);
  version = 8;
  await look.read(known, deployment, signal);
  await look.read(known, deployment, signal);
  expect(reads).toEqual(['ConfigMap', 'Deployment']);
});

it('I8: while idle, a missing config costs no request however often it is listed again, until a template comes', async () => {
  missingSince = '9';
  const resting = recorded({ [KEY]: { resourceVersion: '7' } });
  await look.read(resting, deployment, signal);
  missingSince = '12';
  await look.read(resting, deployment, signal);
  expect(reads).toEqual([]);
  generation = 2;
  await look.read(resting, deployment, signal);
  await look.read(resting, deployment, signal);
  expect(reads).toEqual(['Deployment']);
});

it('E56: in a release, a missing config that was not watched all the time is news', async () => {
  missingSince = '9';
  const { status } = recorded({ [KEY]: { resourceVersion: '7' } });
  if (!status?.release) throw new Error('not initialized');
  const release = { ...status.release, step: 'analysing' };
  await look.read({ ...canary, status: { ...status, phase: 'Progressing', release } }, deployment, signal);
  expect(reads).toEqual(['Deployment']);
});

it.each([
  { what: 'a new Canary', status: undefined, read: ['ConfigMap'] },
  {
    what: 'a Canary that Flagger has run',
    status: { phase: 'Succeeded', failedChecks: 0, canaryWeight: 0, iterations: 0 } as const,
    read: ['ConfigMap', 'Deployment'],
  },
])('E56: a look at configs for $what looks for left pods with other configs only if they could be analysed', async ({ status, read }) => {
  const { status: _, ...fresh } = canary;
  await look.read({ ...fresh, ...(status && { status }) }, deployment, signal);
  expect(reads).toEqual(read);
});

it('a config that is read instead of watched is named by a condition of the Canary, which goes on', async () => {
  tooMany = true;
  const { status: _, ...fresh } = canary;
  expect(await look.read(fresh, deployment, signal)).toBeUndefined();
  expect([reads, look.unwatched.map(({ name }) => name)]).toEqual([['ConfigMap'], ['settings']]);
  const [warning, ...others] = warningsOf(canary, 'kubernetes', { find: () => undefined, all: () => [] }, new RefusedTrafficFields(), {
    configs: look.unwatched,
  });
  expect([warning, others]).toEqual([{ type: 'ConfigUnwatched', message: expect.stringContaining('ConfigMap settings') }, []]);
});

it('secrets namespaces: a Secret of the target is neither watched nor read in any other namespace', async () => {
  const followed: string[][] = [];
  const lookIn = async (secretsNamespaces: string[]) => {
    const envFrom = [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'db' } }];
    const spec = { ...raw(target).spec, template: { spec: { containers: [{ name: 'web', image: '1', envFrom }] } } };
    const reading = deployment.configs?.({ ...target, spec }) ?? [];
    const one = new ConfigTracker(
      {
        cluster: { get: async () => undefined, create: unused, delete: unused },
        anchors: { reference: unused },
        salts: { of: unused },
        configWatches: {
          follow: (_follower, _namespace, refs) => void followed.push(refs.map(({ kind, name }) => `${kind}/${name}`)),
          state: async () => ({ state: 'present', uid: 'c-1', resourceVersion: '7', isLive: true }),
        },
        config: ControllerConfig.parse({ secretsNamespaces }),
        view: {
          find: () => ({ object: { ...target, metadata: { ...target.metadata, uid: 't-2' } }, revision: 's1:2', configs: reading }),
          all: () => [],
          isListed: () => true,
          learn: () => undefined,
        },
        announceOn: () => undefined,
        clock: handClock(),
      },
      'test/podinfo',
    );
    await one.read(recorded({}), deployment, signal);
  };
  await lookIn(['test']);
  await lookIn(['other']);
  expect(followed).toEqual([['ConfigMap/settings', 'Secret/db'], ['ConfigMap/settings']]);
});

it('a target of a kind that is not listed yet is left out, and followed when its Canary is looked at', () => {
  const unlisted = () => {
    throw new Error('not listed yet');
  };
  const view = { find: unlisted, all: () => [], isListed: () => false, learn: () => undefined };
  const configWatches = { follow: unlisted, state: unused };
  expect(() => followAll([recorded({})], { configWatches, config: ControllerConfig.parse({}), view })).not.toThrow();
});

it('I15: the configs of all targets are followed at a start, but for those of Canaries that are being deleted', () => {
  const followed: unknown[] = [];
  const known = recorded({ [KEY]: { uid: 'c-1', resourceVersion: '7', checksum: 'x' } });
  const of = (name: string, more: Partial<Canary['metadata']> = {}): Canary => ({
    ...known,
    metadata: { ...known.metadata, name, ...more },
  });
  followAll([of('one'), of('going', { deletionTimestamp: '1970-01-01T00:00:00Z' }), of('two')], {
    configWatches: { follow: (follower, _, refs) => void followed.push([follower, refs.length]), state: unused },
    config: ControllerConfig.parse({}),
    view: { find: watched, all: () => [], isListed: () => true, learn: () => undefined },
  });
  expect(followed).toEqual([
    ['test/one', 1],
    ['test/two', 1],
  ]);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Canary } from '../../src/api/canary.ts';
import type { Release } from '../../src/api/canary-status.ts';
import { allToPrimary } from '../../src/api/routes.ts';
import { Anchors } from '../../src/controller/adoption/anchors.ts';
import { answerQuestion } from '../../src/controller/canary/answer-questions.ts';
import { ControllerConfig } from '../../src/controller/config.ts';
import { startApiServer } from '../../src/embedded/apiserver/index.ts';
import type { Answer } from '../../src/engine/questions.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { connectionTo } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { configChecksum } from '../../src/workloads/configs/checksum.ts';
import { revisionWithConfigs, type SeenConfigs } from '../../src/workloads/configs/revision.ts';
import { deployment } from '../../src/workloads/deployment/deployment.ts';
import { raw } from '../fakes/raw.ts';
import { aCanary } from '../fakes/world.ts';

const namespace = 'test';
const ref = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, name, namespace });
const config = ControllerConfig.parse({});
const { signal } = new AbortController();
const BLUE = { COLOR: 'blue' };
const labels = { app: 'podinfo' };
const containers = [
  {
    name: 'web',
    image: 'podinfo:1',
    envFrom: [{ configMapRef: { name: 'settings' } }, { configMapRef: { name: 'maybe', optional: true } }],
  },
];

let server: Awaited<ReturnType<typeof startApiServer>>;
let cluster: KubeCluster;
let canary: Canary;
let pinned: string;

beforeEach(async () => {
  server = await startApiServer({});
  cluster = createCluster(connectionTo(server.url, { userAgent: 'test' }));
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data: BLUE });
  const target = await cluster.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'podinfo', namespace },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  const template = deployment.revision(target);
  const configs: SeenConfigs = {
    'configmap/settings': { uid: 'u', resourceVersion: '1', checksum: configChecksum({ data: BLUE }) },
    'configmap/maybe': {},
  };
  pinned = revisionWithConfigs(template, configs);
  const release: Release = {
    targetUid: target.metadata.uid ?? '',
    revision: pinned,
    template,
    configs,
    observedGeneration: target.metadata.generation ?? 0,
    run: 1,
    step: 'writingPrimary',
    routes: allToPrimary,
    failedChecks: 0,
    iterations: 0,
    startedMs: 0,
    stepStartedMs: 0,
  };
  canary = { ...aCanary(), status: { phase: 'Promoting', failedChecks: 0, canaryWeight: 0, iterations: 0, release } };
});
afterEach(async () => {
  cluster.close();
  await server.stop();
});

/** The cluster, with something done to it right before the call of this number. Calls are counted from 0. */
function disturbed(at: number, disturb: () => Promise<unknown>): { cluster: Cluster; calls: () => number } {
  let count = 0;
  const before =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (count++ === at) await disturb();
      return call(...args);
    };
  const { get, list, create, apply, patch } = cluster;
  return {
    cluster: {
      ...cluster,
      get: before(get),
      list: before(list),
      create: before(create),
      apply: before(apply),
      patch: before(patch),
      delete: before(cluster.delete),
    },
    calls: () => count,
  };
}

async function promote(through: Cluster, kind: 'promote' | 'restorePrimary' = 'promote'): Promise<Answer> {
  const anchors = new Anchors(through, config.historyLimit, { warn: () => undefined });
  const learn = () => undefined;
  const context = {
    canary,
    provider: 'istio',
    cluster: through,
    anchors,
    // It reads no Secret.
    salts: { of: () => Promise.reject(new Error('not expected')) },
    config,
    configs: { learn },
    learn,
    measure: async () => ({ verdicts: [] }),
    compare: async () => [],
    secret: async () => undefined,
    signal,
  } as const;
  return answerQuestion({ kind, id: '1', revision: pinned }, context);
}

/** Revision and configs that the primary's pods would read. */
async function primaryReads(): Promise<{ revision: unknown; data: unknown[] }> {
  const primary = await cluster.get(ref('apps/v1', 'Deployment', 'podinfo-primary'));
  const { metadata, spec } = raw(primary)?.spec.template ?? {};
  const names: string[] = spec.containers[0].envFrom.map((from: { configMapRef: { name: string } }) => from.configMapRef.name);
  const data = await Promise.all(names.map(async (name) => (await cluster.get(ref('v1', 'ConfigMap', name)))?.data));
  return { revision: metadata.annotations['flagger-id'], data };
}

/** The version that the pods of the analysis have read. */
async function pinSettings(): Promise<void> {
  const { uid = '', resourceVersion = '' } = (await cluster.get(ref('v1', 'ConfigMap', 'settings')))?.metadata ?? {};
  const release = canary.status?.release;
  if (!canary.status || !release) throw new Error('nothing is pinned');
  const settings = { uid, resourceVersion, checksum: configChecksum({ data: BLUE }) };
  const configs = { ...release.configs, 'configmap/settings': settings };
  canary = { ...canary, status: { ...canary.status, release: { ...release, configs } } };
}

const write = (name: string, data: object) => cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
const disturbances: { what: string; disturb: () => Promise<unknown> }[] = [
  { what: 'the ConfigMap is edited', disturb: () => write('settings', { COLOR: 'red' }) },
  { what: 'the ConfigMap is deleted', disturb: () => cluster.delete(ref('v1', 'ConfigMap', 'settings')) },
  {
    what: 'the ConfigMap is edited and put back',
    disturb: async () => {
      await write('settings', { COLOR: 'red' });
      await write('settings', BLUE);
    },
  },
  { what: 'an optional one appears', disturb: () => write('maybe', { EXTRA: '1' }) },
  {
    what: 'the template is edited',
    disturb: () =>
      cluster.patch(ref('apps/v1', 'Deployment', 'podinfo'), [
        { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'podinfo:2' },
      ]),
  },
];

describe('I3: only analysed bytes are promoted', () => {
  it.each(disturbances)('when $what between any two calls of a promotion', async ({ disturb }) => {
    const outcomes: string[] = [];
    // Each round disturbs a later call than the previous round, until the promotion ends before its turn comes.
    for (let at = 0, isReached = true; isReached; at += 1) {
      await asPinned();
      const through = disturbed(at, disturb);
      const answer = await promote(through.cluster);
      isReached = through.calls() > at;
      const outcome = 'outcome' in answer ? answer.outcome : '';
      outcomes.push(outcome);
      const { revision, data } = await primaryReads();
      expect(outcome === 'written' ? revision : 's1:old', `call ${at}`).toBe(revision);
      if (outcome === 'written') expect({ revision, data }, `call ${at}`).toEqual({ revision: pinned, data: [BLUE, undefined] });
    }
    expect(outcomes.length).toBeGreaterThan(7);
    expect(outcomes.some((outcome) => outcome === 'mismatch' || outcome === 'refused')).toBe(true);
    expect(outcomes.at(-1)).toBe('written');
  });
});

it("I4: the primary's template is kept before it is replaced, also when the controller was killed before it kept it", async () => {
  await asPinned();
  expect(await promote(cluster)).toMatchObject({ outcome: 'written' });
  const kept = new Anchors(cluster, config.historyLimit, { warn: () => undefined });
  expect((await kept.templates.promoted(canary, signal, 's1:old'))?.spec.template).toMatchObject({
    spec: { containers: [{ image: 'podinfo:1' }] },
  });
  expect((await kept.templates.promoted(canary, signal))?.revision).toBe(pinned);
});

/** State at the beginning of the analysis; the copies of earlier rounds stay. */
async function asPinned(): Promise<void> {
  const target = ref('apps/v1', 'Deployment', 'podinfo');
  await write('settings', BLUE);
  await cluster.delete(ref('v1', 'ConfigMap', 'maybe'));
  await pinSettings();
  await cluster.patch(target, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'podinfo:1' }]);
  await cluster.delete(ref('apps/v1', 'Deployment', 'podinfo-primary'));
  const source = await cluster.get(target);
  if (!source) throw new Error('the target is gone');
  const { includeLabelPrefix, selectorLabels } = config;
  const options = {
    selector: { key: 'app', target: 'podinfo', primary: 'podinfo-primary' },
    includeLabelPrefix,
    selectorLabels,
    revision: 's1:old',
    replicas: 1,
  };
  await cluster.create(deployment.renderPrimary(canary, source, options));
}

describe('E103: a primary that another writer has changed meanwhile is read again, and written at once', () => {
  const primary = ref('apps/v1', 'Deployment', 'podinfo-primary');
  let stamps = 0;
  const annotate = () => cluster.patch(primary, { metadata: { annotations: { stamp: String(stamps++) } } });
  /** Before each patch of the primary, `times` times, `disturb` happens. */
  const racing = (times: number, disturb: () => Promise<unknown>): { through: Cluster; patches: () => number } => {
    let patches = 0;
    const patch: Cluster['patch'] = async (at, body, options) => {
      if (at.name !== primary.name || !Array.isArray(body)) return cluster.patch(at, body, options);
      if (patches++ < times) await disturb();
      return cluster.patch(at, body, options);
    };
    return { through: { ...cluster, patch }, patches: () => patches };
  };

  it.each([
    { what: 'a promotion', kind: 'promote' },
    { what: 'a restored primary', kind: 'restorePrimary' },
  ] as const)('$what', async ({ kind }) => {
    await asPinned();
    if (kind === 'restorePrimary') {
      expect(await promote(cluster)).toMatchObject({ outcome: 'written' });
      await cluster.patch(primary, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'podinfo:9' }]);
    }
    const { through, patches } = racing(8, annotate);
    expect(await promote(through, kind)).toMatchObject({ outcome: 'written' });
    expect([patches(), (await primaryReads()).revision]).toEqual([9, pinned]);
  });

  it('a template that was edited meanwhile is kept before it is replaced', async () => {
    await asPinned();
    const edit = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'podinfo:hotfix' }];
    const { through, patches } = racing(1, () => cluster.patch(primary, edit));
    expect(await promote(through)).toMatchObject({ outcome: 'written' });
    expect([patches(), (await primaryReads()).revision]).toEqual([2, pinned]);
  });

  it('a writer without pause is given up on, and said', async () => {
    await asPinned();
    const { through, patches } = racing(1_000, annotate);
    expect(await promote(through)).toEqual({
      kind: 'promote',
      id: '1',
      outcome: 'refused',
      reason: 'another writer changes the primary without pause; trying again',
    });
    expect(patches()).toBeLessThan(50);
  });

  it('a permanent refusal of a write to an unchanged primary is reported after one request', async () => {
    await asPinned();
    let patches = 0;
    const patch: Cluster['patch'] = async (at, body, options) => {
      if (at.name !== primary.name || !Array.isArray(body)) return cluster.patch(at, body, options);
      patches += 1;
      return cluster.patch(at, [...body, { op: 'replace', path: '/spec/selector/matchLabels', value: { app: 'other' } }], options);
    };
    const answer = await promote({ ...cluster, patch });
    expect(answer).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('Invalid') });
    expect(patches).toBe(1);
  });

  it('a target that moved on with the template of the primary is a mismatch, and not written', async () => {
    await asPinned();
    const { through } = racing(1, async () => {
      for (const at of [primary, ref('apps/v1', 'Deployment', 'podinfo')])
        await cluster.patch(at, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'podinfo:2' }]);
    });
    expect(await promote(through)).toMatchObject({ outcome: 'mismatch' });
    expect((await primaryReads()).revision).toBe('s1:old');
  });
});

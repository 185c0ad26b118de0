import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { recordedIdle } from '../fakes/recorded-idle.ts';
import { startOver } from '../fakes/start-over.ts';

const recorded = recordedIdle('0.1.0');

/** The same objects in another namespace, as if they had been made there. */
function inNamespace(objects: readonly KubeObject[], namespace: string): KubeObject[] {
  let text = JSON.stringify(objects);
  const before = objects[0]?.metadata.namespace ?? '';
  for (const { metadata } of objects) text = text.replaceAll(metadata.uid ?? '-', `${metadata.uid}-${namespace}`);
  return JSON.parse(text.replaceAll(`"namespace":"${before}"`, `"namespace":"${namespace}"`));
}

const TARGETS = new Set(['Deployment', 'DaemonSet']);
const podTargets = Object.entries(recorded).filter(([, objects]) => objects.some(({ kind }) => TARGETS.has(kind)));
const runsOf = (objects: readonly KubeObject[]) =>
  objects.flatMap(({ kind, status }: Raw) => (kind === 'Canary' ? [status?.release.run] : []));

const isTarget = ({ kind, metadata }: KubeObject) => TARGETS.has(kind) && !metadata.name.endsWith('-primary');

/** Another spec is another generation, which the workload's own controller has seen. */
function scaled(object: KubeObject, spec: object): KubeObject {
  const generation = (object.metadata.generation ?? 0) + 1;
  return {
    ...object,
    metadata: { ...object.metadata, generation },
    spec: { ...raw(object).spec, ...spec },
    status: { ...raw(object).status, observedGeneration: generation },
  };
}

/** An old object as a newer API server shows it: with new fields that have defaults, and the same generation. */
function withNewDefaults(object: KubeObject): KubeObject {
  const deepen = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(deepen);
    if (typeof value !== 'object' || value === null) return value;
    return { ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, deepen(inner)])), newDefault: 'on' };
  };
  const { template } = raw(object).spec;
  const { containers, ...pod } = template.spec;
  const grown = { ...pod, containers: containers.map(deepen), newDefault: 'on' };
  return { ...object, spec: { ...raw(object).spec, template: { ...template, newDefault: 'on', spec: grown }, newDefault: 'on' } };
}

describe('a new version over what another has left', () => {
  it.each(Object.entries(recorded))('I8: starts over idle %s, and writes nothing', async (_, objects) => {
    expect(await startOver([objects])).toMatchObject({ writes: [], changes: 0 });
  });

  /** Objects with a webhook at a sidecar of Serin, which earlier versions called. */
  const besideSidecar = (objects: readonly KubeObject[]) =>
    objects.map((object): KubeObject => {
      if (object.kind !== 'Canary') return object;
      const { analysis, ...spec } = raw(object).spec;
      const webhooks = [{ name: 'sidecar', type: 'event', url: 'http://127.0.0.1:15000/' }];
      return { ...object, spec: { ...spec, analysis: { ...analysis, webhooks } } } as KubeObject;
    });
  it.each(podTargets.slice(0, 1))('I8: over %s with a webhook at a sidecar, only says that it is not called', async (_, objects) => {
    const { writes, runs } = await startOver([besideSidecar(objects)]);
    expect(runs).toEqual(runsOf(objects));
    expect(writes.filter((one) => !one.includes('Event'))).toEqual([expect.stringMatching(/^patch Canary\/status .*"AddressRejected"/)]);
    expect(writes.filter((one) => one.includes('Event'))).toEqual([expect.stringMatching(/127\.0\.0\.1 .*--allowed-local-addresses/)]);
  });

  const mesh = podTargets.filter(([, objects]) => objects.some(({ kind }) => kind === 'VirtualService'));
  /** The route of such a Canary as one of the user's that this version took over whole. */
  const takenOver = (objects: readonly KubeObject[], more: object) =>
    objects.map((object): KubeObject => {
      if (object.kind !== 'VirtualService') return object;
      const http = [
        { match: [{ uri: { prefix: '/static' } }], route: [{ destination: { host: 'static' } }] },
        { timeout: '3s', route: [{ destination: { host: 'podinfo' } }] },
      ];
      const original = JSON.stringify({ hosts: ['podinfo.example.org'], http });
      const annotations = { ...object.metadata.annotations, 'flagger.kubernetes.io/original-configuration': original, ...more };
      return { ...object, metadata: { ...object.metadata, annotations } };
    });
  it.each(mesh)('I8: over %s whose route was taken over whole writes nothing', async (_, objects) => {
    expect(await startOver([takenOver(objects, {})])).toMatchObject({ writes: [], changes: 0 });
  });

  it.each(mesh)('I17: over %s, a route that its user asks for is split in one write, and is theirs', async (_, objects) => {
    const { writes } = await startOver([takenOver(objects, { 'serin.dev/split': 'true' })]);
    expect(writes.filter((one) => !one.includes('Event'))).toEqual([expect.stringMatching(/^patch VirtualService\/ podinfo: /)]);
    expect(writes[0]).toMatch(/"prefix":"\/static".*"host":"podinfo-primary"/);
  });

  it.each(podTargets)('Revisions: over %s on a newer API server, whose new fields have defaults at every level', async (_, objects) => {
    const newer = objects.map((object) => (TARGETS.has(object.kind) ? withNewDefaults(object) : object));
    expect(await startOver([newer])).toMatchObject({ writes: [], changes: 0 });
  });

  it.each(podTargets.filter(([, objects]) => objects.some(({ kind }) => kind === 'Deployment')))(
    'Revisions: over %s, whose target an autoscaler has scaled meanwhile, starts no release',
    async (_, objects) => {
      const { runs } = await startOver([objects.map((object) => (isTarget(object) ? scaled(object, { replicas: 7 }) : object))]);
      expect(runs).toEqual(runsOf(objects));
    },
  );

  it('E58: over a DaemonSet whose rollout was tuned on a newer API server, starts no release', async () => {
    const [, objects] = podTargets.find(([name]) => name.includes('daemon-set')) ?? ['', []];
    const tuned = (object: KubeObject) => scaled(withNewDefaults(object), { minReadySeconds: 7 });
    const { runs } = await startOver([objects.map((object) => (isTarget(object) ? tuned(object) : object))]);
    expect(runs).toEqual(runsOf(objects));
  });

  const deployments = podTargets.filter(([, objects]) => objects.some(({ kind }) => kind === 'Deployment'));
  const REVISION = 'deployment.kubernetes.io/revision';
  /** Objects as recorded by versions that keep the count of a Deployment's templates. */
  const counting = (objects: readonly KubeObject[]) => {
    const target = objects.find(isTarget);
    const observedRollout = target?.metadata.annotations?.[REVISION];
    const kept = ({ status, ...canary }: Raw) => ({
      ...canary,
      status: { ...status, release: { ...status?.release, observedRollout } },
    });
    return objects.map((object) => (object.kind === 'Canary' ? (kept(object) as KubeObject) : object));
  };
  const startOverTarget = (objects: readonly KubeObject[], edit: (target: KubeObject) => KubeObject) =>
    startOver([counting(objects).map((object) => (isTarget(object) ? edit(object) : object))]);
  const scaledOnNewer = (object: KubeObject) => scaled(withNewDefaults(object), { replicas: 7 });

  it.each(deployments)('E58: over %s, whose target was scaled and is served with new defaults, starts no release', async (_, objects) => {
    expect((await startOverTarget(objects, scaledOnNewer)).runs).toEqual(runsOf(objects));
  });

  it.each(deployments.slice(0, 2))(
    'E58: over %s, whose target has no counted pods yet, it waits for its controller',
    async (_, objects) => {
      const unobserved = (object: KubeObject) => ({ ...scaledOnNewer(object), status: { ...raw(object).status, observedGeneration: 1 } });
      expect((await startOverTarget(objects, unobserved)).runs).toEqual(runsOf(objects));
    },
  );

  it.each(deployments.slice(0, 2))('E58: over %s, whose target was pushed meanwhile, starts a release', async (_, objects) => {
    const pushed = (object: KubeObject) => {
      const { metadata, ...rest } = scaledOnNewer(object);
      return { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, [REVISION]: '99' } } };
    };
    expect((await startOverTarget(objects, pushed)).runs).toEqual(runsOf(objects).map((run) => run + 1));
  });

  it.each(Object.entries(recorded))('D1: starts over %s, and heals what was changed while no version ran', async (_, objects) => {
    const routing = ['VirtualService', 'TrafficSplit'];
    const changed = objects.map((object) => {
      if (object.kind === 'Service' && object.apiVersion === 'v1' && object.metadata.name === 'podinfo-canary') return undefined;
      if (routing.includes(object.kind)) return undefined;
      if (object.apiVersion === 'serving.knative.dev/v1' && object.kind === 'Service')
        return { ...object, spec: { ...raw(object).spec, traffic: [] } };
      return object;
    });
    const { writes } = await startOver([changed.filter((object) => object !== undefined)]);
    expect(writes).not.toEqual([]);
  });

  it('I8: starts over 200 resting Canaries of every kind and provider, and writes nothing', async () => {
    const cases = Object.values(recorded);
    const all = Array.from({ length: 200 }, (_, index) => inNamespace(cases[index % cases.length] ?? [], `ns-${index}`));
    const { phases, runs, ...wrote } = await startOver(all);
    expect(wrote).toEqual({ writes: [], changes: 0 });
    expect(phases).toHaveLength(200);
  });
});

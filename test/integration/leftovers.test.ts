import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { APP, aDeployment, canaryRef, type ModelLab, NAMESPACE, primaryRef } from '../fakes/model/lab.ts';
import { canaryOf, type Life, labOf } from '../fakes/model/life.ts';
import { raw } from '../fakes/raw.ts';

const MARK = 'leftover';
const life = { seed: 5, delayMs: 1_000, plan: 0, hasService: true } as const;
const ports = [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }];
const extraPort = { name: MARK, port: 9_999, targetPort: 9_999, protocol: 'TCP' };
const virtualService = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
const trafficSplit = { apiVersion: 'split.smi-spec.io/v1alpha2', kind: 'TrafficSplit', name: APP, namespace: NAMESPACE };

/** The objects that Flagger would have made for this Canary, with something more in each. */
function foreignObjects(canary: KubeObject): KubeObject[] {
  const { apiVersion, kind, metadata } = canary;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
  const named = (name: string) => ({ name, namespace: NAMESPACE, ownerReferences: [owner] });
  const service = (name: string, app: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: named(name),
    spec: { type: 'ClusterIP', selector: { app }, ports: [...ports, extraPort] },
  });
  const weighted = [
    { destination: { host: `${APP}-primary` }, weight: 100 },
    { destination: { host: `${APP}-canary` }, weight: 0 },
  ];
  const { template } = raw(aDeployment('1')).spec;
  const [container] = template.spec.containers;
  const labels = { app: `${APP}-primary` };
  const pod = {
    containers: [
      { ...container, env: [{ name: MARK, value: '1' }] },
      { name: MARK, image: 'helper' },
    ],
    volumes: [{ name: MARK, emptyDir: {} }],
  };
  return [
    service(`${APP}-primary`, `${APP}-primary`),
    service(`${APP}-canary`, APP),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: named(`${APP}-primary`),
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    },
    {
      apiVersion: virtualService.apiVersion,
      kind: virtualService.kind,
      metadata: named(APP),
      spec: {
        hosts: [APP],
        gateways: ['mesh'],
        http: [
          { name: MARK, match: [{ headers: { user: { exact: MARK } } }], route: weighted },
          { route: weighted, headers: { request: { add: { [MARK]: '1' } } } },
        ],
      },
    },
    {
      apiVersion: trafficSplit.apiVersion,
      kind: trafficSplit.kind,
      metadata: named(APP),
      spec: {
        service: APP,
        backends: [
          { service: `${APP}-primary`, weight: 100 },
          { service: `${APP}-canary`, weight: 0 },
          { service: MARK, weight: 0 },
        ],
      },
    },
  ];
}

const written = (provider: Life['provider']) => [
  primaryRef,
  ...[APP, `${APP}-primary`, `${APP}-canary`].map((name) => ({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE })),
  ...(provider === 'istio' ? [virtualService] : provider === 'smi:v1alpha2' ? [trafficSplit] : []),
];

function leftIn(lab: ModelLab, provider: Life['provider']): string[] {
  return written(provider).flatMap((ref) => {
    const spec = lab.server.find(ref)?.spec;
    return JSON.stringify(spec ?? {}).includes(MARK) ? [`${ref.kind} ${ref.name}: ${JSON.stringify(spec)}`] : [];
  });
}

async function release(lab: ModelLab, version: string): Promise<void> {
  lab.push(version);
  const isDone = () =>
    lab.phase() === 'Succeeded' &&
    raw(lab.canary())?.status?.release.step === 'resting' &&
    raw(lab.server.find(primaryRef))?.spec.template.spec.containers[0].image === version;
  expect(await lab.passUntil(isDone, 600_000), JSON.stringify(lab.canary()?.status)).toBe(true);
}

describe.each(['istio', 'smi:v1alpha2', 'kubernetes'] as const)('objects that another manager has PUT, on %s', (provider) => {
  it('no env var, container, volume, port, header or route of them survives a promotion, nor does a later edit of another writer', async () => {
    const { lab } = labOf({ ...life, provider });
    await lab.application();
    lab.server.create(canaryOf({ ...life, provider }));
    const canary = lab.server.find(canaryRef);
    for (const object of foreignObjects(canary ?? aDeployment('1'))) lab.server.putAs('flagger', object);
    lab.start();
    await lab.passUntil(() => lab.phase() === 'Initialized', 600_000);
    await release(lab, '2');
    expect(leftIn(lab, provider)).toEqual([]);
    for (const ref of written(provider)) {
      const now = lab.server.find(ref);
      const before = now && foreignObjects(canary ?? now).find((one) => one.kind === ref.kind && one.metadata.name === ref.name);
      if (now && before) lab.server.putAs('kubectl-edit', { ...now, spec: { ...raw(before).spec, selector: raw(now).spec.selector } });
    }
    await release(lab, '3');
    expect(leftIn(lab, provider)).toEqual([]);
  });
});

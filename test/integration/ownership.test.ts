import { expect, it } from 'vitest';
import type { Canary } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { deployment } from '../../src/workloads/deployment/deployment.ts';
import { App } from '../suite/adversity/app.ts';
import { Lab } from '../suite/adversity/lab.ts';

const small = { lagMs: [20, 100], seed: 2, graceScale: 0.02, scaleDownDelay: '300ms', interval: '500ms' } as const;
const READS = /^(get|list|watch) /;

it('I8: a restart over a resting Canary writes nothing, and a resting Canary costs no request', async () => {
  const lab = await Lab.open(small);
  try {
    const app = new App(lab, 'podinfo');
    await app.create();
    lab.startController();
    await app.createCanary('istio', { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 });
    await app.rests('Initialized');
    expect(await lab.isQuietFor(2_000)).toBe(true);
    await lab.stopController('TERM');
    const before = lab.requests();
    lab.startController();
    await lab.controllerIsUp();
    // Its five quiet seconds come in the first six: nothing is asked for later than the first look.
    expect(await lab.isQuietFor(5_000, 6_500), JSON.stringify(lab.requestsSince(before))).toBe(true);
    const writes = Object.keys(lab.requestsSince(before)).filter((what) => !READS.test(what));
    expect(writes).toEqual([]);
  } finally {
    await lab.close();
  }
});

it('fields that Serin does not know pass bootstrap and promotion unchanged', async () => {
  const lab = await Lab.open(small);
  try {
    const app = new App(lab, 'podinfo');
    const unknownToUs = {
      schedulingGates: [{ name: 'example.com/quota' }],
      readinessGates: [{ conditionType: 'example.com/warm' }],
      hostAliases: [{ ip: '10.9.8.7', hostnames: ['legacy.example.com'] }],
      os: { name: 'linux' },
      setHostnameAsFQDN: false,
    };
    await app.create(unknownToUs);
    const note = { metadata: { annotations: { 'example.com/invented': '{"deep":{"er":1}}' } } };
    await lab.cluster.patch(app.target, { spec: { template: note, minReadySeconds: 0, revisionHistoryLimit: 7 } });
    lab.startController();
    await app.createCanary('istio', { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 });
    await app.rests('Initialized');
    const run = await app.run();
    const changed = { schedulingGates: [{ name: 'example.com/second' }], overhead: { cpu: '5m' } };
    await lab.cluster.patch(app.target, { spec: { template: { spec: changed } } });
    expect(await app.ends(run)).toBe('Succeeded');
    const [target, primary] = await Promise.all([lab.cluster.get(app.target), lab.cluster.get(app.primary)]);
    expect(primary?.spec.template.spec).toEqual(target?.spec.template.spec);
    expect(primary?.spec.template.spec).toMatchObject({ ...unknownToUs, ...changed });
    expect(primary?.spec.template.metadata.annotations).toMatchObject(note.metadata.annotations);
    expect(primary?.spec.revisionHistoryLimit).toBe(7);
  } finally {
    await lab.close();
  }
});

it('fields that nobody has invented yet decide the revision, and are promoted as they are', () => {
  const invented = { invented: { deep: [{ er: 1 }, null, 'two'] } };
  const target: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'podinfo', namespace: 'lab' },
    spec: {
      ...invented,
      selector: { matchLabels: { app: 'podinfo' } },
      template: {
        ...invented,
        metadata: { ...invented, labels: { app: 'podinfo' } },
        spec: { ...invented, containers: [{ ...invented, name: 'web', image: 'podinfo:2', ports: [{ ...invented, containerPort: 1 }] }] },
      },
    },
  };
  const canary = {
    metadata: { name: 'podinfo', namespace: 'lab' },
    spec: { targetRef: { name: 'podinfo' }, service: { port: 80 } },
  } as unknown as Canary;
  const options = {
    selector: { key: 'app', value: 'podinfo' },
    includeLabelPrefix: [],
    selectorLabels: ['app'],
    revision: deployment.revision(target),
    replicas: 1,
  };
  const spec = deployment.primaryTemplate(canary, target, options);
  expect(spec).toMatchObject({ ...invented, template: { ...invented, metadata: invented, spec: target.spec.template.spec } });
  const primary = deployment.renderPrimary(canary, target, options);
  expect(primary.spec.template.spec).toEqual(target.spec.template.spec);
  const other = structuredClone(target);
  other.spec.template.spec.containers[0].ports[0].invented.deep[0].er = 2;
  expect(deployment.revision(other)).not.toBe(deployment.revision(target));
});

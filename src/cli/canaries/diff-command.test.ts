import { describe, expect, it } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import { aDeployment } from '../../../test/scenarios/troubles/objects.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { deployment } from '../../workloads/deployment/deployment.ts';
import { Output } from '../output/output.ts';
import { type OutputFormat, outputFormats } from '../output/output-formats.ts';
import { diffCommand } from './diff-command.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const config = (kind: string, name: string, data: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'test' },
  data,
});

/** A target that reads a ConfigMap and a Secret, and the copies that the primary reads; `now` and `before` are what they hold. */
function reading(now: Record<string, string>, before: Record<string, string>): HeldCluster {
  const canary = aCanary();
  const target = aDeployment('test', 'podinfo');
  raw(target).spec.template.spec.containers[0].envFrom = [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }];
  const primary = deployment.renderPrimary(canary, target, {
    selector: { key: 'app', target: 'podinfo', primary: 'podinfo-primary' },
    selectorLabels: ['app'],
    includeLabelPrefix: [],
    revision: deployment.revision(target),
    replicas: 1,
    configs: new Map([
      ['configmap/settings', 'settings-primary'],
      ['secret/keys', 'keys-primary'],
    ]),
  });
  const encoded = (data: Record<string, string>) => Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)]));
  return new HeldCluster([
    JSON.parse(JSON.stringify(canary)),
    target,
    primary,
    config('ConfigMap', 'settings', now),
    config('ConfigMap', 'settings-primary', before),
    config('Secret', 'keys', encoded(now)),
    config('Secret', 'keys-primary', encoded(before)),
  ]);
}

async function diff(cluster: HeldCluster, output?: OutputFormat) {
  const said: string[] = [];
  const complained: string[] = [];
  const streams = {
    out: { write: (text: string) => said.push(text) },
    err: { write: (text: string) => complained.push(text) },
  };
  const exit = await diffCommand({ cluster, namespace: 'test', output: new Output({ output }, {}, streams) }, 'podinfo', {});
  return { exit, said: said.join(''), complained: complained.join('') };
}

describe('serin diff of the configs that a target reads', () => {
  const now = { kept: 'same-in-both', changed: 'new-hunter2', added: 'fresh-hunter3' };
  const before = { kept: 'same-in-both', changed: 'old-hunter4', gone: 'lost-hunter5' };

  it('names what differs, and on which side it is', async () => {
    const { exit, said } = await diff(reading(now, before));
    expect(exit).toBe('no');
    const of = (label: string) => [
      `${label}: data.added\n  + (not shown)`,
      `${label}: data.changed\n  - (not shown)\n  + (not shown)`,
      `${label}: data.gone\n  - (not shown)`,
    ];
    expect(said).toBe(`${[...of('ConfigMap settings'), ...of('Secret keys')].join('\n')}\n`);
  });
  it.each([undefined, ...outputFormats])('no value is shown, neither of a Secret nor of a ConfigMap (-o %s)', async (format) => {
    const { said, complained } = await diff(reading(now, before), format);
    for (const value of [...Object.values(now), ...Object.values(before)]) {
      expect(said + complained).not.toContain(value);
      expect(said + complained).not.toContain(base64(value).replace(/=+$/, ''));
    }
  });
  it('the same content makes no difference', async () => {
    expect(await diff(reading(now, now))).toMatchObject({ exit: 'done', said: '' });
  });
  it('objects that cannot be read are named, and the rest is compared', async () => {
    const cluster = reading(now, before);
    cluster.forbidden.add('Secret');
    const { exit, said, complained } = await diff(cluster);
    expect(exit).toBe('no');
    expect(said).not.toContain('Secret');
    expect(said).toContain('ConfigMap settings: data.changed');
    expect(complained).toBe('Note: Secret keys cannot be read with these credentials.\n');
  });
});

describe('serin diff of the scaler of the primary', () => {
  const hpa = (name: string, spec: object, annotations: Record<string, string> = {}, applied: object = {}): KubeObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name,
      namespace: 'test',
      annotations,
      managedFields: [{ manager: 'serin', operation: 'Apply', fieldsV1: applied }],
    } as KubeObject['metadata'],
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: name.endsWith('-primary') ? 'podinfo-primary' : 'podinfo' },
      ...spec,
    },
  });
  const autoscalerRef = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'podinfo' } as const;
  const cluster = (own: KubeObject, primary: KubeObject, ref: object = {}): HeldCluster => {
    const target = aDeployment('test', 'podinfo');
    const options = {
      selector: { key: 'app', target: 'podinfo', primary: 'podinfo-primary' },
      selectorLabels: ['app'],
      includeLabelPrefix: [],
      replicas: 1,
    };
    const canary = aCanary({}, { autoscalerRef: { ...autoscalerRef, ...ref } });
    const rendered = deployment.renderPrimary(canary, target, { ...options, revision: deployment.revision(target) });
    return new HeldCluster([JSON.parse(JSON.stringify(canary)), target, rendered, own, primary]);
  };

  it('an edit of the scaler that the next promotion brings is shown, with the fields that it removes', async () => {
    const own = hpa('podinfo', { minReplicas: 2, maxReplicas: 20 }, { note: 'new' });
    const applied = { 'f:metadata': { 'f:annotations': { 'f:old': {} } }, 'f:spec': { 'f:behavior': {} } };
    const held = { old: 'copied', theirs: 'kept', 'serin.dev/canary-uid': 'u' };
    const primary = hpa('podinfo-primary', { minReplicas: 2, maxReplicas: 10, behavior: { scaleDown: 'slow' } }, held, applied);
    const { exit, said } = await diff(cluster(own, primary));
    expect(exit).toBe('no');
    const at = 'HorizontalPodAutoscaler podinfo-primary';
    expect(said).toContain(`${at}: spec.maxReplicas`);
    expect(said).toContain(`${at}: metadata.annotations.note`);
    expect(said).toContain(`${at}: metadata.annotations.old`);
    expect(said).toContain(`${at}: spec.behavior`);
    expect(said).not.toContain('theirs');
    expect(said).not.toContain('canary-uid');
  });

  it('E60: a minimum that a release has raised makes no difference', async () => {
    const note = JSON.stringify({ before: { minReplicas: 2 }, to: { minReplicas: 6 } });
    const primary = hpa('podinfo-primary', { minReplicas: 6, maxReplicas: 10 }, { 'serin.dev/before-raise': note });
    const { exit, complained } = await diff(cluster(hpa('podinfo', { minReplicas: 2, maxReplicas: 10 }), primary));
    expect([exit, complained]).toEqual(['done', expect.stringContaining('Nothing would change')]);
  });
});

import { describe, expect, it } from 'vitest';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import { readCluster } from './live.ts';
import { validateCommand } from './validate.ts';

const manifest = `apiVersion: flagger.app/v1beta1
kind: Canary
metadata: {name: podinfo}
spec:
  targetRef: {apiVersion: apps/v1, kind: Deployment, name: podinfo}
  service: {port: 80}
  analysis:
    interval: 1m
    threshold: 5
    stepWeight: 10
    metrics: [{name: errors, templateRef: {name: errors}, thresholdRange: {max: 1}}]
    webhooks: [{name: load, url: 'http://loadtester.tools/'}]
`;
const object = (apiVersion: string, kind: string, name: string, spec: object = {}, namespace = 'test'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
  spec,
});
const deployment = object('apps/v1', 'Deployment', 'podinfo', { selector: { matchLabels: { app: 'podinfo' } } });
const template = object('flagger.app/v1beta1', 'MetricTemplate', 'errors', {
  provider: { type: 'prometheus', address: 'http://p:9090' },
  query: 'sum(rate(errors{app="{{ target }}"}[1m]))',
});
const loadTester = object('v1', 'Service', 'loadtester', {}, 'tools');

async function validated(objects: readonly KubeObject[], forbidden: string[] = []) {
  const calls: string[] = [];
  const refuse = (kind: string) => {
    calls.push(kind);
    if (forbidden.includes(kind)) throw new ApiError(`${kind} is forbidden`, { status: 403, reason: 'Forbidden' });
  };
  const cluster: ClusterReader = {
    get: async ({ kind, name }) => {
      refuse(kind);
      return objects.find((one) => one.kind === kind && one.metadata.name === name);
    },
    list: async ({ kind, namespace }) => {
      refuse(kind);
      return { items: objects.filter((one) => one.kind === kind && one.metadata.namespace === namespace), resourceVersion: '1' };
    },
  };
  const lines: string[] = [];
  const code = await validateCommand(
    { files: ['-'], stdin: Buffer.from(manifest), namespace: 'test', readCluster: (items) => readCluster(cluster, items) },
    (line) => lines.push(line),
  );
  return { code, lines };
}

describe('serin validate --live', () => {
  it('is silent where the cluster has all that the manifest refers to', async () => {
    expect(await validated([deployment, template, loadTester])).toEqual({ code: 0, lines: [] });
  });

  it('names the objects that neither files nor cluster have', async () => {
    const { code, lines } = await validated([]);
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^stdin:5 .*warning: spec\.targetRef\.name: .*no such Deployment yet/),
      expect.stringMatching(
        /^stdin:11 .*error: spec\.analysis\.metrics\[0\]\.templateRef\.name: .*but the MetricTemplate was not found in namespace test/,
      ),
      expect.stringMatching(/^stdin:12 .*warning: spec\.analysis\.webhooks\[0\]\.url: .*namespace tools has no Service loadtester/),
    ]);
  });

  it('an older Canary of the cluster for the same target is named, and the Canary itself is not a rival', async () => {
    const { spec } = raw(
      object('flagger.app/v1beta1', 'Canary', 'x', {
        targetRef: deployment && { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
        service: { port: 80 },
        analysis: { interval: '1m', threshold: 1, stepWeight: 10 },
      }),
    );
    const stored = (name: string): KubeObject => object('flagger.app/v1beta1', 'Canary', name, spec);
    const { lines } = await validated([deployment, template, loadTester, stored('podinfo'), stored('elder')]);
    expect(lines).toEqual([expect.stringMatching(/error: spec\.targetRef\.name: is the target of Canary test\/elder \(in the cluster\)/)]);
  });

  it('what may not be read is not called absent', async () => {
    const { code, lines } = await validated([deployment, loadTester], ['MetricTemplate']);
    expect(code).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/warning: .*templateRef\.name: .*no file of this run/)]);
  });
});

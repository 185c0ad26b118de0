import { describe, expect, it } from 'vitest';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
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

async function validated(objects: readonly KubeObject[], forbidden: string[] = [], text: string = manifest, unserved: string[] = []) {
  const calls: string[] = [];
  const refuse = (kind: string) => {
    calls.push(kind);
    if (unserved.includes(kind)) throw new ApiError(`${kind} is not served`, { status: 404, reason: 'NotFound' });
    if (forbidden.includes(kind)) throw new ApiError(`${kind} is forbidden`, { status: 403, reason: 'Forbidden' });
  };
  const cluster: ClusterReader = {
    get: async ({ kind, name }) => {
      refuse(kind);
      return objects.find((one) => one.kind === kind && one.metadata.name === name);
    },
    list: async ({ kind, namespace }) => {
      refuse(kind);
      const isAsked = (one: KubeObject) => one.kind === kind && (namespace === undefined || one.metadata.namespace === namespace);
      return { items: objects.filter(isAsked), resourceVersion: '1' };
    },
  };
  const lines: string[] = [];
  const code = await validateCommand(
    {
      files: ['-'],
      stdin: Buffer.from(text),
      namespace: 'test',
      readCluster: (items) => readCluster(cluster, items, { withArrival: true }),
    },
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
    expect(lines).toEqual([
      expect.stringMatching(/error: spec\.targetRef\.name: is also the target of Canary test\/elder \(in the cluster\)/),
    ]);
  });

  it('I17: fields that a route of yours makes void are named, with their lines', async () => {
    const route = object('networking.istio.io/v1', 'VirtualService', 'podinfo', {
      ...{ hosts: ['podinfo.example.org'], http: [{ route: [{ destination: { host: 'podinfo' } }] }] },
    });
    const fields = ['hosts: [other.example.org]', 'gateways: [edge/public]', 'rewrite: {uri: /}', 'timeout: 3s', 'retries: {attempts: 2}'];
    const asking = manifest
      .replace('spec:\n', 'spec:\n  provider: istio\n')
      .replace(/ {2}service:.*\n/, `  service:\n    port: 80\n${fields.map((field) => `    ${field}\n`).join('')}`);
    const { code, lines } = await validated([deployment, template, loadTester, route], [], asking);
    expect(code).toBe(0);
    expect(lines).toEqual(
      fields.map((field) => {
        const line = asking.split('\n').indexOf(`    ${field}`) + 1;
        return expect.stringMatching(
          `^stdin:${line} .*warning: spec\\.service\\.${field.split(':')[0]}: has no effect, since VirtualService podinfo is yours`,
        );
      }),
    );
  });

  it('an object that cannot be read is not called absent', async () => {
    const { code, lines } = await validated([deployment, loadTester], ['MetricTemplate']);
    expect(code).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/warning: .*templateRef\.name: .*no file of this run/)]);
  });

  const labels = { app: 'podinfo' };
  const living = object('apps/v1', 'Deployment', 'podinfo', {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web' }] } },
  });

  it('I17: losses among the objects of the cluster are found, also of other namespaces', async () => {
    const policies = [
      object('security.istio.io/v1', 'AuthorizationPolicy', 'podinfo', { selector: { matchLabels: labels } }),
      object('monitoring.coreos.com/v1', 'PodMonitor', 'podinfo', { selector: { matchLabels: labels } }),
      object(
        'networking.k8s.io/v1',
        'NetworkPolicy',
        'db',
        {
          podSelector: { matchLabels: { app: 'db' } },
          ingress: [{ from: [{ namespaceSelector: {}, podSelector: { matchLabels: labels } }] }],
        },
        'data',
      ),
    ];
    const { code, lines } = await validated([living, template, loadTester, ...policies]);
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/error: spec\.targetRef: AuthorizationPolicy podinfo: /),
      expect.stringMatching(/error: spec\.targetRef: NetworkPolicy data\/db: /),
      expect.stringMatching(/warning: spec\.targetRef: PodMonitor podinfo: /),
    ]);
  });

  it('I17: an edit that takes requests from a route of the cluster is refused, also where the primary serves already', async () => {
    const gateway = { parentRefs: [{ name: 'public' }] };
    const rule = (name: string) => [{ backendRefs: [{ name, port: 80 }] }];
    const api = 'gateway.networking.k8s.io/v1';
    const owned = object(api, 'HTTPRoute', 'podinfo', { ...gateway, hostnames: ['shop.example.org'], rules: rule('podinfo-primary') });
    const own = { ...owned, metadata: { ...owned.metadata, annotations: { [ownerAnnotation]: 'podinfo' } } };
    const other = object(api, 'HTTPRoute', 'static', { ...gateway, hostnames: ['other.example.org'], rules: rule('static') });
    const there = [living, object('apps/v1', 'Deployment', 'podinfo-primary', living.spec as object), template, loadTester, own, other];
    const saying = (...hosts: string[]) =>
      manifest
        .replace('spec:\n', 'spec:\n  provider: gatewayapi:v1\n')
        .replace('{port: 80}', `{port: 80, gatewayRefs: [{name: public}], hosts: [${hosts.join(', ')}]}`);
    expect(await validated(there, [], saying('shop.example.org'))).toEqual({ code: 0, lines: [] });
    const { code, lines } = await validated(there, [], saying('shop.example.org', 'other.example.org'));
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(
        /error: spec\.targetRef: HTTPRoute static: .*which the route that Serin makes for this Canary would take from it\./,
      ),
    ]);
  });

  it('I17: kinds that cannot be read are not checked, and a warning says so', async () => {
    const { code, lines } = await validated([living, template, loadTester], ['NetworkPolicy', 'PodMonitor']);
    expect(code).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(
        /warning: spec\.targetRef: not checked for what would be lost: NetworkPolicy \(networking\.k8s\.io\/v1\), PodMonitor \(monitoring\.coreos\.com\/v1\), which you may not list: /,
      ),
    ]);
  });
});

describe('serin validate --live of an application that cannot start', () => {
  const web = (podSpec: object, more: object = {}): KubeObject =>
    object('apps/v1', 'Deployment', 'podinfo', {
      selector: { matchLabels: { app: 'podinfo' } },
      template: { metadata: { labels: { app: 'podinfo' } }, spec: podSpec },
      ...more,
    });
  const envFrom = (...refs: object[]) => ({ containers: [{ name: 'web', envFrom: refs }] });

  it('names ConfigMaps and Secrets that its pods read and that do not exist', async () => {
    const refs = [
      { configMapRef: { name: 'settings' } },
      { secretRef: { name: 'login' } },
      { configMapRef: { name: 'features', optional: true } },
      { configMapRef: { name: 'known' } },
    ];
    const known = object('v1', 'ConfigMap', 'known');
    const { code, lines } = await validated([web(envFrom(...refs)), known, template, loadTester]);
    expect(code).toBe(1);
    expect(lines).toEqual(
      ['ConfigMap settings', 'Secret login'].map((name) =>
        expect.stringMatching(`error: spec\\.targetRef\\.name: Deployment podinfo reads ${name}, which was not found in namespace test`),
      ),
    );
    const hidden = await validated([web(envFrom(...refs)), known, template, loadTester], ['Secret', 'ConfigMap']);
    expect(hidden.lines).toEqual([]);
  });

  it('says that its Deployment is paused, and that a Deployment of the name is in another namespace', async () => {
    const { lines } = await validated([web({}, { paused: true }), template, loadTester]);
    expect(lines).toEqual([expect.stringMatching(/warning: spec\.targetRef\.name: Deployment podinfo: spec\.paused is true/)]);
    const elsewhere = `${manifest}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: podinfo, namespace: default}\nspec: {paused: true, selector: {matchLabels: {app: podinfo}}, template: {metadata: {labels: {app: podinfo}}, spec: {containers: [{name: web, image: web}]}}}\n`;
    const found = await validated([template, loadTester], [], elsewhere);
    expect(found.lines).toEqual([
      expect.stringMatching(
        /namespace test has no such Deployment yet: Deployment default\/podinfo .* a Canary releases only a target of its own namespace/,
      ),
    ]);
  });

  it('names the kinds of its provider that the cluster does not serve', async () => {
    const smi = manifest.replace('spec:\n', 'spec:\n  provider: smi:v1alpha4\n');
    const { code, lines } = await validated([deployment, template, loadTester], [], smi, ['TrafficSplit']);
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(
        /error: spec\.provider: is smi:v1alpha4, and the cluster has no TrafficSplit in split\.smi-spec\.io\/v1alpha4: install/,
      ),
    ]);
    expect((await validated([deployment, template, loadTester], ['TrafficSplit'], smi)).lines).toEqual([]);
  });
});

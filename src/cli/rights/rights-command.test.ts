import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { flags } from '../../controller/flags.ts';
import { everyFeature, permissionsFor } from '../../controller/permissions.ts';
import { guarded } from '../canaries/session.ts';
import { rightsCommand } from './rights-command.ts';
import { valuesProblems } from './values.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const ACCOUNT = { namespace: 'serin', name: 'serin' };

/** Verbs on routes that a Canary writes. */
const FULL = 'get list watch create patch';
const CANARY = `apiVersion: flagger.app/v1beta1
kind: Canary
metadata:
  name: web
  namespace: shop
spec:
  targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  provider: kubernetes
  service: {port: 80}
  analysis: {interval: 1m, threshold: 5, iterations: 5}
`;
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: web:1
`;
const inAnalysis = (more: string): string => CANARY.replace('iterations: 5}', `iterations: 5, ${more}}`);

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-rights-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Printed {
  code: number;
  text: string;
  /** With the folder left out. */
  complained: string;
  /** `Role shop: get secrets [slack]`, a line for each rule. */
  rules: string[];
}

async function print(files: Record<string, string>, options: { namespace?: string; named?: readonly string[] } = {}): Promise<Printed> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const [said, complained]: [string[], string[]] = [[], []];
  const streams = {
    out: { columns: 10_000, write: (text: string | Uint8Array) => said.push(String(text)) },
    err: { write: (text: string) => complained.push(text) },
  };
  const paths = (options.named ?? Object.keys(files)).map((name) => join(folder, name));
  const { namespace } = options;
  const code = await guarded({}, { env: {}, streams }, (output) => rightsCommand(output, { files: paths, namespace, account: ACCOUNT }));
  const text = said.join('');
  const objects = parseAllDocuments(text).map((document): KubeObject => document.toJS());
  const rules = objects.flatMap((object) =>
    (raw(object)?.rules ?? []).map(
      ({ apiGroups, resources, verbs, resourceNames }: Record<string, string[]>) =>
        `${object.kind}${object.metadata.namespace ? ` ${object.metadata.namespace}` : ''}: ${verbs?.join(' ')} ${resources?.join(',')}${apiGroups?.[0] ? `.${apiGroups[0]}` : ''}${resourceNames ? ` [${resourceNames.join(' ')}]` : ''}`,
    ),
  );
  return {
    code,
    text,
    complained: complained
      .join('')
      .replaceAll(`${folder}/`, '')
      .replaceAll(/\n(?!Note|\S+:)/g, ' ')
      .trim(),
    rules,
  };
}

describe('serin rights', () => {
  it('with namespaces there are only Roles, one of each namespace and of the lease', async () => {
    const { code, rules, text } = await print({ 'values.yaml': 'namespaces: [shop]', 'canaries/web.yaml': `${CANARY}---\n${DEPLOYMENT}` });
    expect(code).toBe(0);
    expect(rules.filter((rule) => rule.startsWith('ClusterRole'))).toEqual([]);
    expect(rules).toContain('Role shop: get update leases.coordination.k8s.io [flagger-leader-election]');
    expect(rules).toContain('Role shop: get create patch deployments.apps');
    expect(rules.filter((rule) => /secrets|configmaps|daemonsets.*patch|istio.io.*create/.test(rule))).toEqual([]);
    expect(text).toContain('# targets, and the primaries made of them (for target Deployment/web of Canary shop/web)');
  });

  it('over the whole cluster nothing is granted but to list and watch, and nothing of Secrets, ConfigMaps and pods', async () => {
    const { rules, complained } = await print({ 'web.yaml': CANARY });
    const ofCluster = rules.filter((rule) => rule.startsWith('ClusterRole: '));
    expect(ofCluster.length).toBeGreaterThan(5);
    for (const rule of ofCluster) expect(rule).toMatch(/^ClusterRole: (list|list watch) (?!secrets|configmaps|pods)/);
    expect(complained).toContain('namespaces: [shop] Roles are enough');
  });

  it('every printed rule is one of the tables of the code', async () => {
    const known = new Set(
      permissionsFor(everyFeature).flatMap(({ group, resources, verbs }) =>
        resources.flatMap((one) => verbs.map((verb) => `${verb} ${one}.${group}`)),
      ),
    );
    const { text } = await print({ 'values.yaml': 'leaderElection: {enabled: false}', 'web.yaml': CANARY });
    const roles = parseAllDocuments(text).flatMap((document) => raw(document.toJS())?.rules ?? []);
    const printed = roles.flatMap(({ apiGroups, resources, verbs }: Record<string, string[]>) =>
      (resources ?? []).flatMap((one) => (verbs ?? []).map((verb) => `${verb} ${one}.${apiGroups?.[0]}`)),
    );
    expect(printed.length).toBeGreaterThan(20);
    expect(printed.filter((one: string) => !known.has(one))).toEqual([]);
  });

  it.each([
    {
      what: 'a ConfigMap',
      reads: '{configMapRef: {name: settings}}',
      rules: ['get list watch create delete configmaps', 'patch configmaps'],
    },
    { what: 'a Secret', reads: '{secretRef: {name: db}}', rules: ['get list watch create delete secrets', 'patch secrets'] },
    {
      what: 'a Secret, mode get',
      values: 'secrets: {mode: get}',
      reads: '{secretRef: {name: db}}',
      rules: ['get create delete secrets', 'patch secrets'],
    },
    { what: 'a Secret, mode off', values: 'secrets: {mode: off}', reads: '{secretRef: {name: db}}', rules: [] },
    { what: 'a Secret, not one of those named', values: 'secrets: {names: [other]}', reads: '{secretRef: {name: db}}', rules: [] },
    {
      what: 'a Secret by name',
      values: 'secrets: {names: [other, db]}',
      reads: '{secretRef: {name: db}}',
      rules: ['get list watch secrets [db]', 'get secrets [db-primary]', 'patch secrets [db-primary]', 'create secrets'],
    },
    {
      what: 'a Secret, without copies of Flagger',
      values: 'configTracking: {takeOver: false}',
      reads: '{secretRef: {name: db}}',
      rules: ['get list watch create delete secrets'],
    },
    { what: 'both, and nothing is tracked', values: 'configTracking: {enabled: false}', reads: '{secretRef: {name: db}}', rules: [] },
  ])('a target that reads $what needs $rules', async ({ values = '{}', reads, rules }) => {
    const target = DEPLOYMENT.replace('image: web:1', `image: web:1\n          envFrom: [${reads}]`);
    const printed = await print({ 'values.yaml': values, 'web.yaml': `${CANARY}---\n${target}` });
    expect(printed.rules.filter((rule) => /secrets|configmaps/.test(rule))).toEqual(rules.map((rule) => `Role shop: ${rule}`));
  });

  it('of a target that is not among the files it is not known what it reads, and a note says so', async () => {
    const { rules, text, complained } = await print({ 'web.yaml': CANARY });
    expect(rules.filter((rule) => /secrets|configmaps/.test(rule))).toHaveLength(4);
    expect(text).toContain('(for Canary shop/web, whose target is not among the files)');
    expect(complained).toContain(
      'Note: Deployment shop/web: not among the files, so that rules for ConfigMaps and Secrets which it may read are printed: add it.',
    );
  });

  it('a Secret that a field names is read by its name, in the namespace of the object that names it', async () => {
    const { code, rules, complained } = await print({
      'web.yaml': `${inAnalysis("webhooks: [{name: a, url: 'http://hooks/', secretRef: {name: hooks}}], alerts: [{name: a, providerRef: {name: chat, namespace: ops}}], metrics: [{name: m, templateRef: {name: m, namespace: ops}, thresholdRange: {max: 1}}]")}---\n${DEPLOYMENT}`,
      'ops.yaml': `apiVersion: flagger.app/v1beta1
kind: AlertProvider
metadata: {name: chat, namespace: ops}
spec: {type: slack, secretRef: {name: slack}}
---
apiVersion: flagger.app/v1beta1
kind: MetricTemplate
metadata: {name: m, namespace: ops}
spec: {provider: {type: prometheus, address: 'http://p:9090', secretRef: {name: p-token}, caSecretRef: {name: p-ca}}, query: 'vector(1)'}
`,
    });
    expect({ code, complained }).toMatchObject({ code: 0 });
    expect(rules.filter((rule) => /secrets/.test(rule))).toEqual([
      'Role ops: get secrets [p-ca p-token slack]',
      'Role shop: get secrets [hooks]',
    ]);
    expect(rules.filter((rule) => rule.startsWith('Role ops'))).toEqual([
      'Role ops: patch metrictemplates/status.flagger.app',
      'Role ops: get secrets [p-ca p-token slack]',
      'Role ops: get alertproviders.flagger.app',
      'Role ops: patch alertproviders/status.flagger.app',
    ]);
  });

  it('a Deployment of Serin says how it is started, in place of values', async () => {
    const installed = `apiVersion: apps/v1
kind: Deployment
metadata: {name: serin, namespace: delivery}
spec:
  template:
    spec:
      serviceAccountName: releaser
      containers:
        - name: serin
          args: [controller, --namespaces=shop, --mesh-provider=istio, --enable-leader-election, '--leader-election-namespace=$(POD_NAMESPACE)']
`;
    const { code, text, rules } = await print({ 'rendered.yaml': installed, 'web.yaml': CANARY.replace('  provider: kubernetes\n', '') });
    expect(code).toBe(0);
    expect(text).toContain('    name: releaser\n    namespace: delivery\n');
    expect(rules).toContain('Role shop: get list watch create patch virtualservices.networking.istio.io');
  });

  it.each([
    { what: 'a Service of HTTP', service: '{port: 80, gatewayRefs: [{name: front}]}', more: '', verbs: ['list'], ofHttp: [FULL] },
    {
      what: 'a Service of gRPC',
      service: '{port: 80, appProtocol: grpc, gatewayRefs: [{name: front}]}',
      more: '',
      verbs: [FULL],
      // The route that it had before an edit from HTTP is written by its name.
      ofHttp: ['get list watch', 'patch'],
    },
    {
      what: 'a GRPCRoute among routeRefs',
      service: '{port: 80}',
      more: '  routeRefs: [{apiVersion: gateway.networking.k8s.io/v1, kind: GRPCRoute, name: calls}]\n',
      verbs: [FULL],
      ofHttp: [FULL],
    },
  ])(
    'with the Gateway API, $what has rules for GRPCRoutes: $verbs, and for HTTPRoutes: $ofHttp',
    async ({ service, more, verbs, ofHttp }) => {
      const canary = CANARY.replace('provider: kubernetes', 'provider: gatewayapi:v1').replace(
        'service: {port: 80}\n',
        `service: ${service}\n${more}`,
      );
      const { code, complained, rules } = await print({ 'values.yaml': 'namespaces: [shop]', 'web.yaml': canary });
      expect({ code, complained }).toMatchObject({ code: 0 });
      const ofGrpc = rules.flatMap((rule) => /^Role shop: ([a-z ]+) [a-z,]*grpcroutes/.exec(rule)?.[1] ?? []);
      expect(ofGrpc).toEqual(verbs);
      expect(rules.flatMap((rule) => /^Role shop: ([a-z ]+) [a-z,]*httproutes/.exec(rule)?.[1] ?? [])).toEqual(ofHttp);
    },
  );

  it('values are laid over each other as by Helm', async () => {
    const { code, rules } = await print({
      'a.yaml': 'secrets: {mode: get, names: [db]}\nnamespaces: [other]',
      'b.yaml': 'secrets: {mode: off}\nnamespaces: [shop]',
      'web.yaml': CANARY,
    });
    expect(code).toBe(0);
    expect(rules.filter((rule) => /secrets/.test(rule))).toEqual([]);
  });

  it('of a folder, only manifests are read: it can have values of any chart', async () => {
    const { rules } = await print({ 'all/values.yaml': 'namespaces: [other]', 'all/web.yaml': CANARY }, { named: ['all'] });
    expect(rules.some((rule) => rule.startsWith('ClusterRole'))).toBe(true);
  });

  it.each([
    {
      what: 'values of another type',
      files: { 'values.yaml': '\nnamespaces: shop' },
      says: 'values.yaml:2: error: namespaces: is the text "shop": it must be a list',
    },
    {
      what: 'a companion of another type',
      files: { 'values.yaml': 'companions:\n  networkPolicies: no way' },
      says: 'values.yaml:2: error: companions.networkPolicies: is the text "no way": it must be true or false',
    },
    {
      what: 'a mode of Secrets that does not exist',
      files: { 'values.yaml': 'secrets: {mode: whatever}' },
      says: 'values.yaml:1: error: secrets.mode: is the text "whatever": it must be one of watch, get, off',
    },
    {
      what: 'a value that the chart does not have',
      files: { 'values.yaml': 'meshProvider: istio\nnamspaces: [shop]' },
      says: 'values.yaml:2: error: namspaces: is not a value of the chart: correct its name or remove it',
    },
    {
      what: 'one below another',
      files: { 'values.yaml': 'secrets:\n  mode: off\n  name: [db]' },
      says: 'values.yaml:3: error: secrets.name: is not a value of the chart: correct its name or remove it',
    },
    {
      what: 'one in a list',
      files: { 'values.yaml': 'imagePullSecrets:\n  - name: registry\n  - secret: registry' },
      says: 'values.yaml:3: error: imagePullSecrets[1].secret: is not a value of the chart: correct its name or remove it',
    },
    {
      what: 'a flag that does not exist',
      files: { 'values.yaml': 'extraArgs: [--no-such]' },
      says: "Error: the controller would not start: unknown option '--no-such'",
    },
    {
      what: 'an unknown provider',
      files: { 'values.yaml': 'meshProvider: istoi' },
      says: 'Error: the controller would not start: --mesh-provider: ',
    },
    {
      what: 'a Canary of no namespace',
      files: { 'web.yaml': CANARY.replace('  namespace: shop\n', '') },
      says: 'web.yaml:4 Canary/web: error: metadata.namespace: is missing: add it, or give --namespace',
    },
    {
      what: 'a namespace that Serin does not look after',
      files: { 'values.yaml': 'namespaces: [mail]' },
      says: 'web.yaml:5 Canary/web: error: metadata.namespace: is not a namespace that Serin looks after (mail)',
    },
    {
      what: 'a Canary that cannot be read',
      files: { 'web.yaml': CANARY.replace('kind: Deployment', 'kind: Pod') },
      says: 'web.yaml:7 Canary/web: error: spec.targetRef.kind: ',
    },
    {
      what: 'a MetricTemplate that is missing',
      files: { 'web.yaml': inAnalysis('metrics: [{name: m, templateRef: {name: m}, thresholdRange: {max: 1}}]') },
      says: 'web.yaml:10 Canary/web: error: spec.analysis.metrics[0].templateRef: MetricTemplate shop/m is not among the files: add it',
    },
    {
      what: 'an AlertProvider that is missing',
      files: { 'web.yaml': inAnalysis('alerts: [{name: a, providerRef: {name: chat}}]') },
      says: 'spec.analysis.alerts[0].providerRef: AlertProvider shop/chat is not among the files: add it',
    },
    {
      what: 'a name that would be text of its own',
      files: { 'web.yaml': CANARY.replace('name: web\n', 'name: "web\\n- apiGroups: [x]"\n') },
      says: 'error: metadata.name: is not a name of Kubernetes',
    },
    {
      what: 'the same of the service account',
      files: { 'values.yaml': 'serviceAccount: {name: "a\\n- b"}' },
      says: 'Error: the service account serin/a - b is not a name of Kubernetes',
    },
    {
      what: 'the same of a Secret',
      files: { 'web.yaml': inAnalysis("webhooks: [{name: a, url: 'http://hooks/', secretRef: {name: 'a, b'}}]") },
      says: 'spec.analysis.webhooks[0].secretRef.name: is not a name of Kubernetes',
    },
    { what: 'text that is not YAML', files: { 'web.yaml': 'a: [' }, says: 'web.yaml:1: error: is not YAML' },
    {
      what: 'Kuma by namespace',
      files: { 'values.yaml': 'namespaces: [shop]', 'web.yaml': CANARY.replace('provider: kubernetes', 'provider: kuma') },
      says: 'Error: a TrafficRoute of Kuma belongs to no namespace: remove namespaces',
    },
  ])('$what: nothing is printed, and the message names the place and the remedy', async ({ files, says }) => {
    const { code, text, complained } = await print({ 'web.yaml': CANARY, ...files });
    expect({ code, text }).toEqual({ code: 1, text: '' });
    expect(complained).toContain(says);
  });

  it('no Canary at all has an exit code of its own', async () => {
    const { code, text } = await print({ 'values.yaml': 'namespaces: [shop]' });
    expect({ code, text }).toEqual({ code: 4, text: '' });
  });

  it('a link out of the folder is not followed', async () => {
    mkdirSync(join(folder, 'canaries'));
    writeFileSync(join(folder, 'secret.yaml'), CANARY);
    symlinkSync(join(folder, 'secret.yaml'), join(folder, 'canaries', 'web.yaml'));
    const { code, complained } = await print({}, { named: ['canaries'] });
    expect(code).toBe(1);
    expect(complained).toContain('canaries/web.yaml: error: is a link out of');
  });

  it('the values that are read are those of the chart, by the names that the flags have there', () => {
    const values = parse(readFileSync(join(ROOT, 'charts', 'serin', 'values.yaml'), 'utf8'));
    expect(valuesProblems(values)).toEqual([]);
    for (const name of ['namespaces', 'secretsNames', 'dashboard', 'shards'] as const) {
      const path = flags[name].chart.split('.');
      expect(
        path.reduce((value, step) => value?.[step], values),
        name,
      ).toBeDefined();
    }
  });
});

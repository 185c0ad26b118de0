import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aCanary, aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import { json } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const MEGABYTE = 1_000_000;
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const entries = (count: number, size = 10) => Object.fromEntries(many(count, (index) => [`k${index}`, 'v'.repeat(size)]));
const app =
  (analysis: object, spec: object = {}) =>
  (tenant: Tenant) =>
    tenant.app(analysis, spec);
const stepped = { stepWeight: 50, maxWeight: 50 };
/** Lays fields over the Deployment of a Canary that is fine. */
const target = (over: (deployment: KubeObject) => void) => async (tenant: Tenant) => {
  const deployment = aDeployment(tenant.namespace, tenant.name);
  over(deployment);
  await tenant.make(deployment, tenant.canary());
};
const nested = (levels: number): unknown => JSON.parse(`${'[{"headers":'.repeat(levels)}1${'}]'.repeat(levels)}`);

export const sizes: AttackClass = {
  name: 'sizes',
  title: 'objects that are too large, and too many of them',
  attacks: numbered('BIG', [
    attack('issue 14', 'a Canary of 1.1 MB, of webhooks with metadata', harmless, (tenant) =>
      tenant.app({ webhooks: many(90, (n) => tenant.hook({ name: `h${n}`, metadata: { x: 'x'.repeat(12_000) } })) }),
    ),
    attack('issue 14', 'a thousand webhooks', { names: 'webhooks' }, (tenant) =>
      tenant.app({ webhooks: many(1000, (n) => tenant.hook({ name: `h${n}` })) }),
    ),
    attack('docs', 'a hundred webhooks, each called at each check', harmless, (tenant) =>
      tenant.release({ webhooks: many(100, (n) => tenant.hook({ name: `h${n}` })) }),
    ),
    attack(
      'issue 14',
      'a thousand metrics',
      { names: 'metrics' },
      app({ metrics: many(1000, (n) => ({ name: `m${n}`, query: 'up', thresholdRange: { min: 0 } })) }),
    ),
    attack(
      'issue 14',
      'a thousand alerts',
      { names: 'alerts' },
      app({ alerts: many(1000, (n) => ({ name: `a${n}`, providerRef: { name: 'x' } })) }),
    ),
    attack(
      'CWE-770',
      '20,000 variables of a template',
      { names: 'templateVariables' },
      app({ metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 }, templateVariables: entries(20_000) }] }),
    ),
    attack(
      'CWE-770',
      '20,000 weights',
      { names: 'stepWeights' },
      app({ stepWeights: many(20_000, () => 7), stepWeight: undefined, maxWeight: undefined }, { provider: 'istio' }),
    ),
    attack(
      'crd',
      '1,000 weights, each of 1',
      harmless,
      app({ stepWeights: many(1000, () => 1), stepWeight: undefined, maxWeight: undefined }, { provider: 'istio' }),
    ),
    attack(
      'CWE-400',
      '100 matches of 100 headers in an A/B test',
      harmless,
      app(
        {
          iterations: 2,
          match: many(100, (n) => ({ headers: Object.fromEntries(many(100, (h) => [`h-${n}-${h}`, { exact: 'x' }])) })),
          ...{ stepWeight: undefined, maxWeight: undefined },
        },
        { provider: 'istio' },
      ),
    ),
    attack(
      'CWE-674',
      'a match that is nested 500 deep',
      { names: 'match' },
      app(stepped, { provider: 'istio', service: { port: 80, match: nested(500) } }),
    ),
    attack(
      'CWE-1333',
      'a regular expression of 60 KB in a match',
      harmless,
      app(
        { iterations: 2, match: [{ headers: { a: { regex: '(a+)+'.repeat(12_000) } } }], stepWeight: undefined, maxWeight: undefined },
        { provider: 'istio' },
      ),
    ),
    attack(
      'CWE-1333',
      'a pattern of exponential cost in a match',
      harmless,
      app(
        {
          iterations: 2,
          match: [{ headers: { cookie: { regex: `^(a|a?)+$${'(x*)*'.repeat(50)}` } } }],
          stepWeight: undefined,
          maxWeight: undefined,
        },
        { provider: 'istio' },
      ),
    ),
    attack(
      'CWE-770',
      '2,000 hosts',
      { names: 'hosts' },
      app(stepped, { provider: 'istio', service: { port: 80, hosts: many(2000, (n) => `h${n}.test`) } }),
    ),
    attack('docs', 'a webhook address of 9,000 characters', { names: 'url' }, (tenant) =>
      tenant.app({ webhooks: [tenant.hook({ url: tenant.field.own.url(`/${'x'.repeat(9000)}`) })] }),
    ),
    attack('CWE-770', 'annotations of 250 KB on the Canary', { names: 'targetRef' }, (tenant) => {
      const canary = tenant.canary();
      canary.metadata.annotations = { big: 'x'.repeat(250_000) };
      return tenant.make(canary);
    }),
    attack(
      'issue 14',
      'a target of 400 optional ConfigMaps',
      harmless,
      target((deployment) => {
        raw(deployment).spec.template.spec.containers[0].envFrom = many(400, (n) => ({
          configMapRef: { name: `absent-${n}`, optional: true },
        }));
      }),
    ),
    attack(
      'issue 14',
      'a target of 400 optional Secrets',
      harmless,
      target((deployment) => {
        raw(deployment).spec.template.spec.containers[0].envFrom = many(400, (n) => ({
          secretRef: { name: `absent-${n}`, optional: true },
        }));
      }),
    ),
    attack(
      'CWE-770',
      'a target with 500 KB of environment',
      harmless,
      target((deployment) => {
        raw(deployment).spec.template.spec.containers[0].env = many(500, (n) => ({ name: `V${n}`, value: 'x'.repeat(1000) }));
      }),
    ),
    attack(
      'CWE-770',
      'a target of 200 containers',
      harmless,
      target((deployment) => {
        const [web] = raw(deployment).spec.template.spec.containers;
        raw(deployment).spec.template.spec.containers = many(200, (n) => ({ ...web, name: `c${n}`, ports: [] }));
      }),
    ),
    attack('CWE-770', 'ten tracked ConfigMaps of 900 KB', harmless, async (tenant) => {
      const names = many(10, (n) => `${tenant.name}-${n}`);
      await tenant.make(
        ...names.map((name) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: tenant.namespace },
          data: { x: 'x'.repeat(900_000) },
        })),
      );
      await target((deployment) => {
        raw(deployment).spec.template.spec.volumes = names.map((name) => ({ name, configMap: { name } }));
      })(tenant);
      await tenant.isReady();
    }),
    attack('CVE-2023-40584', 'a webhook that answers 5 MB', { names: 'h' }, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, json('x'.repeat(5 * MEGABYTE), 500));
      await tenant.hooked();
    }),
    attack('issue 14', 'the status that is patched to 1 MB', harmless, async (tenant) => {
      await tenant.app();
      await tenant.isReady();
      await tenant.edit(
        tenant.canaryRef,
        {
          status: {
            conditions: many(1000, (n) => ({
              type: `T${n}`,
              status: 'True',
              reason: 'X',
              message: 'x'.repeat(900),
              lastTransitionTime: '2026-01-01T00:00:00Z',
              lastUpdateTime: '2026-01-01T00:00:00Z',
            })),
          },
        },
        { subresource: 'status' },
      );
      await tenant.push('2');
    }),
    attack('CWE-770', 'sixty Canaries without a target, at once', harmless, (tenant) =>
      tenant.make(...many(60, (n) => ({ ...tenant.canary(), metadata: { name: `${tenant.name}-${n}`, namespace: tenant.namespace } }))),
    ),
    attack('CWE-770', 'three hundred MetricTemplates', harmless, (tenant) =>
      tenant.make(
        ...many(300, (n) => ({ ...tenant.template({}), metadata: { name: `${tenant.name}-${n}`, namespace: tenant.namespace } })),
      ),
    ),
    attack('CWE-20', 'names of 253 characters', harmless, async (tenant) => {
      const name = `${tenant.name}-`.padEnd(253, 'x');
      await tenant.make(aDeployment(tenant.namespace, name, {}, 'x'), aCanary(tenant.namespace, name));
    }),
  ]),
  uncovered: [
    '4,000 references and a 1.2 GB heap: too long for this suite; counted in unit tests and in test/large-objects.test.ts.',
    'the limit of 1.5 MB of etcd is only on the real control plane.',
  ],
};

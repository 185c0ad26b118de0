import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import { json } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const times = async (count: number, act: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < count; index += 1) await act(index);
};
const storm =
  (count: number, act: (tenant: Tenant, index: number) => Promise<unknown>, spec: object = {}) =>
  async (tenant: Tenant) => {
    await tenant.app({ stepWeight: 50, maxWeight: 50 }, { provider: 'istio', ...spec });
    await tenant.isReady();
    await times(count, (index) => act(tenant, index));
  };
const config = (tenant: Tenant) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: tenant.name, namespace: tenant.namespace },
  data: { n: '0' },
});

export const rate: AttackClass = {
  name: 'rate',
  title: 'storms of edits, events and objects',
  attacks: numbered('RTE', [
    attack(
      'CWE-400',
      'two hundred edits of a spec',
      harmless,
      storm(200, (tenant, n) => tenant.edit(tenant.canaryRef, { spec: { analysis: { threshold: 2 + (n % 7) } } })),
    ),
    attack(
      'CWE-400',
      'two hundred edits between right and wrong',
      harmless,
      storm(200, (tenant, n) => tenant.edit(tenant.canaryRef, { spec: { analysis: { stepWeight: n % 2 ? 0 : 50 } } })),
    ),
    attack(
      'CWE-400',
      'two hundred annotations',
      harmless,
      storm(200, (tenant, n) => tenant.edit(tenant.canaryRef, { metadata: { annotations: { n: `${n}` } } })),
    ),
    attack(
      'CWE-400',
      'forty versions without a pause',
      harmless,
      storm(40, (tenant, n) => tenant.push(`${n + 2}`)),
    ),
    attack(
      'CWE-400',
      'a war on status',
      harmless,
      storm(150, (tenant, n) =>
        tenant.edit(
          tenant.canaryRef,
          { status: { phase: n % 2 ? 'Succeeded' : 'Progressing', canaryWeight: n % 100 } },
          { subresource: 'status' },
        ),
      ),
    ),
    attack(
      'CWE-400',
      'a war on the route',
      harmless,
      storm(150, (tenant, n) => tenant.edit(tenant.ref('VirtualService'), { spec: { hosts: [`${tenant.name}-${n}`] } })),
    ),
    attack(
      'CWE-400',
      'a war on the Services',
      harmless,
      storm(150, (tenant, n) => tenant.edit(tenant.ref('Service', `${tenant.name}-primary`), { spec: { selector: { app: `x${n}` } } })),
    ),
    attack(
      'CWE-400',
      'a war on the anchor',
      harmless,
      storm(100, (tenant, n) =>
        tenant.edit(tenant.ref('ControllerRevision', `${tenant.name}-serin-anchor`), { metadata: { labels: { n: `${n}` } } }),
      ),
    ),
    attack(
      'CWE-400',
      'suspended and resumed a hundred times',
      harmless,
      storm(100, (tenant, n) => tenant.edit(tenant.canaryRef, { spec: { suspend: n % 2 === 0 } })),
    ),
    attack(
      'CWE-400',
      'providers in turn',
      harmless,
      storm(40, (tenant, n) =>
        tenant.edit(tenant.canaryRef, { spec: { provider: ['istio', 'kubernetes', 'smi:v1alpha2', 'linkerd'][n % 4] } }),
      ),
    ),
    attack('CWE-400', 'a ConfigMap that changes two hundred times', harmless, async (tenant) => {
      const deployment = aDeployment(tenant.namespace, tenant.name);
      raw(deployment).spec.template.spec.containers[0].envFrom = [{ configMapRef: { name: tenant.name } }];
      await tenant.make(config(tenant), deployment, tenant.canary());
      await tenant.isReady();
      await times(200, (n) => tenant.edit(tenant.ref('ConfigMap'), { data: { n: `${n}` } }));
    }),
    attack('CWE-400', 'a MetricTemplate that changes two hundred times', harmless, async (tenant) => {
      await tenant.measured({}, {});
      await times(200, (n) => tenant.edit(tenant.ref('MetricTemplate'), { spec: { query: n % 2 ? '{{' : 'up' } }));
    }),
    attack('CWE-400', 'a Canary that is made and deleted forty times', harmless, async (tenant) => {
      await times(40, async () => {
        await tenant.make(tenant.canary());
        await tenant.attempt(() => tenant.field.client.delete(tenant.canaryRef));
      });
    }),
    attack(
      'CWE-400',
      'three hundred Events in the name of the Canary',
      harmless,
      storm(300, (tenant, n) =>
        tenant.make({
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: `${tenant.name}-${n}`, namespace: tenant.namespace },
          involvedObject: { kind: 'Canary', name: tenant.name, namespace: tenant.namespace },
          type: 'Normal',
          reason: 'X',
          message: `${n}`,
        } as never),
      ),
    ),
    attack('CWE-284', "a Lease with the name of the controller's", harmless, (tenant) =>
      tenant.make(
        ...['serin', 'serin-leader-election', 'flagger-leader-election'].map(
          (name) =>
            ({
              apiVersion: 'coordination.k8s.io/v1',
              kind: 'Lease',
              metadata: { name, namespace: tenant.namespace },
              spec: { holderIdentity: 'mallory', leaseDurationSeconds: 1_000_000 },
            }) as never,
        ),
      ),
    ),
    attack('CWE-400', 'a gate that opens and closes', harmless, async (tenant) => {
      let n = 0;
      tenant.field.own.answers(`/${tenant.name}`, (request, response) => json({}, n++ % 2 ? 200 : 500)(request, response));
      await tenant.hooked({ type: 'confirm-rollout' });
    }),
    attack('CWE-400', 'a webhook that takes thirty seconds', harmless, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, () => undefined);
      await tenant.hooked({ timeout: '30s' });
    }),
    attack('CWE-770', 'forty Canaries whose webhooks never answer', harmless, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, () => undefined);
      await times(12, async (n) => {
        const name = `${tenant.name}-${n}`;
        await tenant.make(aDeployment(tenant.namespace, name), {
          ...tenant.canary(
            { webhooks: Array.from({ length: 50 }, (_, h) => tenant.hook({ name: `h${h}`, type: 'confirm-rollout', timeout: '30s' })) },
            { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
          ),
          metadata: { name, namespace: tenant.namespace },
        });
      });
    }),
    attack('CWE-770', 'alerts by every release, to a receiver that never answers', harmless, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, () => undefined);
      await tenant.alerted({}, {});
      await tenant.push('3');
      await tenant.push('4');
    }),
  ]),
  uncovered: ['ten minutes at the full rate of the API server, from 200 namespaces: test/long.'],
};

import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type Attack, type AttackClass, numbered } from './run/attack.ts';
import { json } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const harmless: Pick<Attack, 'expects'> = { expects: { harmless: true } };
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
    {
      what: 'two hundred edits of a spec',
      from: 'CWE-400',
      do: storm(200, (tenant, n) => tenant.edit(tenant.canaryRef, { spec: { analysis: { threshold: 2 + (n % 7) } } })),
      ...harmless,
    },
    {
      what: 'two hundred edits between right and wrong',
      from: 'CWE-400',
      do: storm(200, (tenant, n) => tenant.edit(tenant.canaryRef, { spec: { analysis: { stepWeight: n % 2 ? 0 : 50 } } })),
      ...harmless,
    },
    {
      what: 'two hundred annotations',
      from: 'CWE-400',
      do: storm(200, (tenant, n) => tenant.edit(tenant.canaryRef, { metadata: { annotations: { n: `${n}` } } })),
      ...harmless,
    },
    { what: 'forty versions without a pause', from: 'CWE-400', do: storm(40, (tenant, n) => tenant.push(`${n + 2}`)), ...harmless },
    {
      what: 'a war on status',
      from: 'CWE-400',
      do: storm(150, (tenant, n) =>
        tenant.edit(
          tenant.canaryRef,
          { status: { phase: n % 2 ? 'Succeeded' : 'Progressing', canaryWeight: n % 100 } },
          { subresource: 'status' },
        ),
      ),
      ...harmless,
    },
    {
      what: 'a war on the route',
      from: 'CWE-400',
      do: storm(150, (tenant, n) => tenant.edit(tenant.ref('VirtualService'), { spec: { hosts: [`${tenant.name}-${n}`] } })),
      ...harmless,
    },
    {
      what: 'a war on the Services',
      from: 'CWE-400',
      do: storm(150, (tenant, n) => tenant.edit(tenant.ref('Service', `${tenant.name}-primary`), { spec: { selector: { app: `x${n}` } } })),
      ...harmless,
    },
    {
      what: 'a war on the anchor',
      from: 'CWE-400',
      do: storm(100, (tenant, n) =>
        tenant.edit(tenant.ref('ControllerRevision', `${tenant.name}-serin-anchor`), { metadata: { labels: { n: `${n}` } } }),
      ),
      ...harmless,
    },
    {
      what: 'suspended and resumed a hundred times',
      from: 'CWE-400',
      do: storm(100, (tenant, n) => tenant.edit(tenant.canaryRef, { spec: { suspend: n % 2 === 0 } })),
      ...harmless,
    },
    {
      what: 'providers in turn',
      from: 'CWE-400',
      do: storm(40, (tenant, n) =>
        tenant.edit(tenant.canaryRef, { spec: { provider: ['istio', 'kubernetes', 'smi:v1alpha2', 'linkerd'][n % 4] } }),
      ),
      ...harmless,
    },
    {
      what: 'a ConfigMap that changes two hundred times',
      from: 'CWE-400',
      async do(tenant) {
        const deployment = aDeployment(tenant.namespace, tenant.name);
        raw(deployment).spec.template.spec.containers[0].envFrom = [{ configMapRef: { name: tenant.name } }];
        await tenant.make(config(tenant), deployment, tenant.canary());
        await tenant.isReady();
        await times(200, (n) => tenant.edit(tenant.ref('ConfigMap'), { data: { n: `${n}` } }));
      },
      ...harmless,
    },
    {
      what: 'a MetricTemplate that changes two hundred times',
      from: 'CWE-400',
      async do(tenant) {
        await tenant.measured({}, {});
        await times(200, (n) => tenant.edit(tenant.ref('MetricTemplate'), { spec: { query: n % 2 ? '{{' : 'up' } }));
      },
      ...harmless,
    },
    {
      what: 'a Canary that is made and deleted forty times',
      from: 'CWE-400',
      async do(tenant) {
        await times(40, async () => {
          await tenant.make(tenant.canary());
          await tenant.attempt(() => tenant.field.client.delete(tenant.canaryRef));
        });
      },
      ...harmless,
    },
    {
      what: 'three hundred Events in the name of the Canary',
      from: 'CWE-400',
      do: storm(300, (tenant, n) =>
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
      ...harmless,
    },
    {
      what: "a Lease with the name of the controller's",
      from: 'CWE-284',
      do: (tenant) =>
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
      ...harmless,
    },
    {
      what: 'a gate that opens and closes',
      from: 'CWE-400',
      async do(tenant) {
        let n = 0;
        tenant.field.own.answers(`/${tenant.name}`, (request, response) => json({}, n++ % 2 ? 200 : 500)(request, response));
        await tenant.hooked({ type: 'confirm-rollout' });
      },
      ...harmless,
    },
    {
      what: 'a webhook that takes thirty seconds',
      from: 'CWE-400',
      async do(tenant) {
        tenant.field.own.answers(`/${tenant.name}`, () => undefined);
        await tenant.hooked({ timeout: '30s' });
      },
      ...harmless,
    },
    {
      what: 'forty Canaries whose webhooks never answer',
      from: 'CWE-770',
      async do(tenant) {
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
      },
      ...harmless,
    },
    {
      what: 'alerts by every release, to a receiver that never answers',
      from: 'CWE-770',
      async do(tenant) {
        tenant.field.own.answers(`/${tenant.name}`, () => undefined);
        await tenant.alerted({}, {});
        await tenant.push('3');
        await tenant.push('4');
      },
      ...harmless,
    },
  ]),
  uncovered: ['ten minutes at the full rate of the API server, from 200 namespaces: test/long.'],
};

import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type Attack, type AttackClass, numbered } from './run/attack.ts';
import type { Tenant } from './run/tenant.ts';

const harmless: Pick<Attack, 'expects'> = { expects: { harmless: true } };
const HPA = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
const KEDA = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject' };
const hpa = (tenant: Tenant, spec: object): KubeObject => ({
  ...HPA,
  metadata: { name: tenant.name, namespace: tenant.namespace },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: tenant.name }, minReplicas: 1, maxReplicas: 2, ...spec },
});
const keda = (tenant: Tenant, spec: object): KubeObject => ({
  ...KEDA,
  metadata: { name: tenant.name, namespace: tenant.namespace },
  spec: { scaleTargetRef: { name: tenant.name }, triggers: [{ type: 'cpu', metadata: { value: '50' } }], ...spec },
});
const scaled =
  (make: (tenant: Tenant) => KubeObject, over: object = {}) =>
  async (tenant: Tenant) => {
    const scaler = make(tenant);
    await tenant.make(scaler);
    await tenant.app({}, { autoscalerRef: { apiVersion: scaler.apiVersion, kind: scaler.kind, name: tenant.name, ...over } });
  };
const target =
  (over: (deployment: KubeObject) => void, analysis: object = {}) =>
  async (tenant: Tenant) => {
    const deployment = aDeployment(tenant.namespace, tenant.name);
    over(deployment);
    await tenant.make(deployment, tenant.canary(analysis));
  };
const pod = (fields: object) => target((deployment) => Object.assign(raw(deployment).spec.template.spec, fields));

export const scaling: AttackClass = {
  name: 'scaling',
  title: 'scalers, replicas and pods',
  attacks: numbered('SCL', [
    { what: 'a scaler from 0 to 0', from: 'crd', do: scaled((tenant) => hpa(tenant, { minReplicas: 0, maxReplicas: 0 })), ...harmless },
    {
      what: 'a scaler whose least is above its most',
      from: 'crd',
      do: scaled((tenant) => hpa(tenant, {}), { primaryScalerReplicas: { minReplicas: 9, maxReplicas: 1 } }),
      ...harmless,
    },
    {
      what: 'a primary of negative replicas',
      from: 'CWE-681',
      do: scaled((tenant) => hpa(tenant, {}), { primaryScalerReplicas: { minReplicas: -5, maxReplicas: -1 } }),
      expects: { names: 'Replicas' },
    },
    {
      what: 'a primary of more replicas than numbers',
      from: 'CWE-681',
      do: scaled((tenant) => hpa(tenant, {}), { primaryScalerReplicas: { minReplicas: 1, maxReplicas: 9_999_999_999 } }),
      expects: { harmless: true },
    },
    {
      what: 'a scaler of the neighbour',
      from: 'CWE-284',
      do: scaled((tenant) => hpa(tenant, { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: '../../shop/web' } })),
      ...harmless,
    },
    {
      what: 'a scaler of the primary itself',
      from: 'crd',
      do: scaled((tenant) =>
        hpa(tenant, { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `${tenant.name}-primary` } }),
      ),
      ...harmless,
    },
    {
      what: 'a scaler of a Canary',
      from: 'crd',
      do: scaled((tenant) => hpa(tenant, { scaleTargetRef: { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: tenant.name } })),
      ...harmless,
    },
    {
      what: 'a ScaledObject of 1,000 triggers',
      from: 'CWE-770',
      do: scaled((tenant) =>
        keda(tenant, {
          triggers: Array.from({ length: 1000 }, (_, n) => ({
            type: 'prometheus',
            name: `t${n}`,
            metadata: { query: 'x'.repeat(100), serverAddress: 'http://x' },
          })),
        }),
      ),
      ...harmless,
    },
    {
      what: 'queries of a primary that set a prototype',
      from: 'CWE-1321',
      do: scaled(
        (tenant) =>
          keda(tenant, { triggers: [{ type: 'prometheus', name: '__proto__', metadata: { query: 'x', serverAddress: 'http://x' } }] }),
        { primaryScalerQueries: JSON.parse('{"__proto__":"x","constructor":"y"}') },
      ),
      ...harmless,
    },
    {
      what: 'a query of a trigger that is a long near miss of the name',
      from: 'CWE-1333',
      do: scaled((tenant) =>
        keda(tenant, {
          triggers: [{ type: 'prometheus', metadata: { query: `${tenant.name.slice(0, -1)}{`.repeat(6000), serverAddress: 'http://x' } }],
        }),
      ),
      ...harmless,
    },
    {
      what: 'replicas of the target that flap',
      from: 'CWE-400',
      async do(tenant) {
        await tenant.app();
        await tenant.isReady();
        for (let n = 0; n < 30; n += 1)
          await tenant.edit(tenant.ref('Deployment'), { spec: { replicas: n % 2 } }, { subresource: 'scale' });
      },
      ...harmless,
    },
    {
      what: 'replicas of the primary that flap',
      from: 'CWE-400',
      async do(tenant) {
        await tenant.app();
        await tenant.isReady();
        for (let n = 0; n < 30; n += 1)
          await tenant.edit(tenant.ref('Deployment', `${tenant.name}-primary`), { spec: { replicas: n % 2 } }, { subresource: 'scale' });
      },
      ...harmless,
    },
    {
      what: 'a target of no replicas',
      from: 'crd',
      do: target((deployment) => {
        raw(deployment).spec.replicas = 0;
      }),
      ...harmless,
    },
    {
      what: 'thresholds of readiness beyond 100',
      from: 'crd',
      do: (tenant) => tenant.app({ canaryReadyThreshold: 1e9, primaryReadyThreshold: 1e9 }),
      expects: { names: 'ReadyThreshold' },
    },
    {
      what: 'thresholds of readiness below 0',
      from: 'crd',
      do: (tenant) => tenant.app({ canaryReadyThreshold: -1 }),
      expects: { harmless: true },
    },
    {
      what: 'pods that mount the disk of the node are not given more rights',
      from: 'owasp',
      do: pod({ hostPID: true, volumes: [{ name: 'host', hostPath: { path: '/' } }] }),
      ...harmless,
    },
    { what: 'pods in the name of the neighbour', from: 'owasp', do: pod({ serviceAccountName: 'web', nodeName: 'nowhere' }), ...harmless },
    { what: 'pods that crash', from: 'CWE-400', do: (tenant) => tenant.app({}, {}, { CRASH: 'yes' }), ...harmless },
    { what: 'pods that never end', from: 'CWE-400', do: pod({ terminationGracePeriodSeconds: 2_000_000_000 }), ...harmless },
    {
      what: 'pods that are ready after 68 years',
      from: 'CWE-681',
      do: target((deployment) => {
        raw(deployment).spec.minReadySeconds = 2_147_483_646;
        raw(deployment).spec.progressDeadlineSeconds = 2_147_483_647;
      }),
      ...harmless,
    },
    {
      what: 'a Deployment that is paused',
      from: 'crd',
      do: target((deployment) => {
        raw(deployment).spec.paused = true;
      }),
      ...harmless,
    },
    {
      what: 'a Deployment whose status lies',
      from: 'CWE-345',
      async do(tenant) {
        await tenant.app({}, {}, { NEVER_READY: 'yes' });
        await tenant.edit(
          tenant.ref('Deployment'),
          { status: { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1, observedGeneration: 99 } },
          { subresource: 'status' },
        );
      },
      ...harmless,
    },
  ]),
  uncovered: ['replicas by the million: the nodes of the environment would run them; a quota is the remedy, with Serin and without.'],
};

import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import type { Tenant } from './run/tenant.ts';

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
    attack(
      'crd',
      'a scaler from 0 to 0',
      harmless,
      scaled((tenant) => hpa(tenant, { minReplicas: 0, maxReplicas: 0 })),
    ),
    attack(
      'crd',
      'a scaler whose least is above its most',
      harmless,
      scaled((tenant) => hpa(tenant, {}), { primaryScalerReplicas: { minReplicas: 9, maxReplicas: 1 } }),
    ),
    attack(
      'CWE-681',
      'a primary of negative replicas',
      { names: 'Replicas' },
      scaled((tenant) => hpa(tenant, {}), { primaryScalerReplicas: { minReplicas: -5, maxReplicas: -1 } }),
    ),
    attack(
      'CWE-681',
      'a primary of more replicas than numbers',
      harmless,
      scaled((tenant) => hpa(tenant, {}), { primaryScalerReplicas: { minReplicas: 1, maxReplicas: 9_999_999_999 } }),
    ),
    attack(
      'CWE-284',
      'a scaler of the neighbour',
      harmless,
      scaled((tenant) => hpa(tenant, { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: '../../shop/web' } })),
    ),
    attack(
      'crd',
      'a scaler of the primary itself',
      harmless,
      scaled((tenant) => hpa(tenant, { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `${tenant.name}-primary` } })),
    ),
    attack(
      'crd',
      'a scaler of a Canary',
      harmless,
      scaled((tenant) => hpa(tenant, { scaleTargetRef: { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: tenant.name } })),
    ),
    attack(
      'CWE-770',
      'a ScaledObject of 1,000 triggers',
      harmless,
      scaled((tenant) =>
        keda(tenant, {
          triggers: Array.from({ length: 1000 }, (_, n) => ({
            type: 'prometheus',
            name: `t${n}`,
            metadata: { query: 'x'.repeat(100), serverAddress: 'http://x' },
          })),
        }),
      ),
    ),
    attack(
      'CWE-1321',
      'queries of a primary that set a prototype',
      harmless,
      scaled(
        (tenant) =>
          keda(tenant, { triggers: [{ type: 'prometheus', name: '__proto__', metadata: { query: 'x', serverAddress: 'http://x' } }] }),
        { primaryScalerQueries: JSON.parse('{"__proto__":"x","constructor":"y"}') },
      ),
    ),
    attack(
      'CWE-1333',
      'a query of a trigger that is a long near miss of the name',
      harmless,
      scaled((tenant) =>
        keda(tenant, {
          triggers: [{ type: 'prometheus', metadata: { query: `${tenant.name.slice(0, -1)}{`.repeat(6000), serverAddress: 'http://x' } }],
        }),
      ),
    ),
    attack('CWE-400', 'replicas of the target that flap', harmless, async (tenant) => {
      await tenant.app();
      await tenant.isReady();
      for (let n = 0; n < 30; n += 1) await tenant.edit(tenant.ref('Deployment'), { spec: { replicas: n % 2 } }, { subresource: 'scale' });
    }),
    attack('CWE-400', 'replicas of the primary that flap', harmless, async (tenant) => {
      await tenant.app();
      await tenant.isReady();
      for (let n = 0; n < 30; n += 1)
        await tenant.edit(tenant.ref('Deployment', `${tenant.name}-primary`), { spec: { replicas: n % 2 } }, { subresource: 'scale' });
    }),
    attack(
      'crd',
      'a target of no replicas',
      harmless,
      target((deployment) => {
        raw(deployment).spec.replicas = 0;
      }),
    ),
    attack('crd', 'thresholds of readiness beyond 100', { names: 'ReadyThreshold' }, (tenant) =>
      tenant.app({ canaryReadyThreshold: 1e9, primaryReadyThreshold: 1e9 }),
    ),
    attack('crd', 'thresholds of readiness below 0', harmless, (tenant) => tenant.app({ canaryReadyThreshold: -1 })),
    attack(
      'owasp',
      'pods that mount the disk of the node are not given more rights',
      harmless,
      pod({ hostPID: true, volumes: [{ name: 'host', hostPath: { path: '/' } }] }),
    ),
    attack('owasp', 'pods in the name of the neighbour', harmless, pod({ serviceAccountName: 'web', nodeName: 'nowhere' })),
    attack('CWE-400', 'pods that crash', harmless, (tenant) => tenant.app({}, {}, { CRASH: 'yes' })),
    attack('CWE-400', 'pods that never end', harmless, pod({ terminationGracePeriodSeconds: 2_000_000_000 })),
    attack(
      'CWE-681',
      'pods that are ready after 68 years',
      harmless,
      target((deployment) => {
        raw(deployment).spec.minReadySeconds = 2_147_483_646;
        raw(deployment).spec.progressDeadlineSeconds = 2_147_483_647;
      }),
    ),
    attack(
      'crd',
      'a Deployment that is paused',
      harmless,
      target((deployment) => {
        raw(deployment).spec.paused = true;
      }),
    ),
    attack('CWE-345', 'a Deployment whose status lies', harmless, async (tenant) => {
      await tenant.app({}, {}, { NEVER_READY: 'yes' });
      await tenant.edit(
        tenant.ref('Deployment'),
        { status: { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1, observedGeneration: 99 } },
        { subresource: 'status' },
      );
    }),
  ]),
  uncovered: ['replicas by the million: the nodes of the environment would run them; a quota is the remedy, with Serin and without.'],
};

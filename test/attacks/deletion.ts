import { aDeployment, makeNamespace } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import type { Tenant } from './run/tenant.ts';

const remove = (tenant: Tenant, kind: string, name = tenant.name) =>
  tenant.attempt(() => tenant.field.client.delete(tenant.ref(kind, name)));
const ready = async (tenant: Tenant, spec: object = {}) => {
  await tenant.app({ stepWeight: 50, maxWeight: 50 }, { provider: 'istio', ...spec });
  await tenant.isReady();
};
const then =
  (act: (tenant: Tenant) => Promise<unknown>, spec: object = {}) =>
  async (tenant: Tenant) => {
    await ready(tenant, spec);
    await act(tenant);
  };
const held = (kind: string, name: (tenant: Tenant) => string) =>
  then(async (tenant) => {
    await tenant.edit(tenant.ref(kind, name(tenant)), { metadata: { finalizers: ['evil.test/hold'] } });
    await remove(tenant, kind, name(tenant));
    await tenant.push('2');
  });

export const deletion: AttackClass = {
  name: 'deletion',
  title: 'deletion, finalizers, and the end of a namespace',
  isRestarted: true,
  flags: { 'uninstall-grace': '1s' },
  attacks: numbered('DEL', [
    attack(
      'kubernetes',
      'a primary that cannot go',
      harmless,
      held('Deployment', ({ name }) => `${name}-primary`),
    ),
    attack(
      'kubernetes',
      'an anchor that cannot go',
      harmless,
      held('ControllerRevision', ({ name }) => `${name}-serin-anchor`),
    ),
    attack(
      'kubernetes',
      'a Service that cannot go',
      harmless,
      held('Service', ({ name }) => `${name}-primary`),
    ),
    attack(
      'kubernetes',
      'a route that cannot go',
      harmless,
      held('VirtualService', ({ name }) => name),
    ),
    attack(
      'kubernetes',
      'a target that cannot go',
      harmless,
      held('Deployment', ({ name }) => name),
    ),
    attack(
      'kubernetes',
      'a Canary that cannot go',
      harmless,
      held('Canary', ({ name }) => name),
    ),
    attack(
      'CWE-770',
      'a Canary of 100 finalizers',
      harmless,
      then(async (tenant) => {
        await tenant.edit(tenant.canaryRef, { metadata: { finalizers: Array.from({ length: 100 }, (_, n) => `evil.test/f${n}`) } });
        await remove(tenant, 'Canary');
      }),
    ),
    attack(
      'CWE-345',
      'the finalizer of Serin on an object that must not be restored',
      harmless,
      then(async (tenant) => {
        await tenant.edit(tenant.canaryRef, { metadata: { finalizers: ['finalizer.flagger.app'] } });
        await remove(tenant, 'Canary');
      }),
    ),
    attack(
      'CWE-367',
      'a target that is gone before its Canary that gives it back',
      harmless,
      then(
        async (tenant) => {
          await remove(tenant, 'Deployment');
          await remove(tenant, 'Canary');
        },
        { revertOnDeletion: true },
      ),
    ),
    attack(
      'CWE-367',
      'a Canary that is deleted and made again at once',
      harmless,
      then(async (tenant) => {
        for (let n = 0; n < 5; n += 1) {
          await remove(tenant, 'Canary');
          await tenant.make(tenant.canary({ stepWeight: 50, maxWeight: 50 }, { provider: 'istio' }));
        }
      }),
    ),
    attack(
      'CWE-367',
      'a target that is deleted and made again at once',
      harmless,
      then(async (tenant) => {
        for (let n = 0; n < 5; n += 1) {
          await remove(tenant, 'Deployment');
          await tenant.make(aDeployment(tenant.namespace, tenant.name));
        }
      }),
    ),
    attack(
      'CWE-367',
      'a primary that is deleted in the middle of a promotion',
      harmless,
      then(async (tenant) => {
        await tenant.push('2');
        await remove(tenant, 'Deployment', `${tenant.name}-primary`);
      }),
    ),
    attack(
      'kubernetes',
      'an anchor that is deleted, so that all that it owns goes',
      harmless,
      then((tenant) => remove(tenant, 'ControllerRevision', `${tenant.name}-serin-anchor`)),
    ),
    attack(
      'CWE-367',
      'everything deleted at once',
      harmless,
      then((tenant) =>
        Promise.all([
          remove(tenant, 'Canary'),
          remove(tenant, 'Deployment'),
          remove(tenant, 'Deployment', `${tenant.name}-primary`),
          remove(tenant, 'Service'),
          remove(tenant, 'VirtualService'),
        ]),
      ),
    ),
    attack(
      'kubernetes',
      'a Canary that is owned by a ConfigMap that goes',
      harmless,
      then(async (tenant) => {
        const [config] = await tenant.make({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: tenant.name, namespace: tenant.namespace },
        });
        await tenant.edit(tenant.canaryRef, {
          metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: tenant.name, uid: config?.metadata.uid }] },
        });
        await tenant.attempt(() =>
          tenant.field.client.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: tenant.name, namespace: tenant.namespace }),
        );
      }),
    ),
    attack(
      'CWE-681',
      'the date of an uninstall that is far off, or none',
      harmless,
      then(async (tenant) => {
        await tenant.edit(tenant.ref('ControllerRevision', `${tenant.name}-serin-anchor`), {
          metadata: { annotations: { 'serin.dev/uninstall-since': '+275760-09-14T00:00:00Z' } },
        });
        await remove(tenant, 'Canary');
        await remove(tenant, 'Deployment');
      }),
    ),
    attack('kubernetes', 'a namespace that ends in the middle of a release, with Canaries to restore', harmless, async (tenant) => {
      const { cluster } = tenant.field.environment;
      const namespace = `${tenant.namespace}-ends`;
      await makeNamespace(cluster, namespace);
      const canary = tenant.canary({ stepWeight: 50, maxWeight: 50 }, { provider: 'istio', revertOnDeletion: true });
      await cluster.create(aDeployment(namespace, tenant.name));
      await cluster.create({ ...canary, metadata: { name: tenant.name, namespace } });
      await tenant.field.reports.until(namespace, tenant.name, 'a start', ({ phase }) => phase === 'Initialized');
      await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
      const { eventually } = await import('../scenarios/eventually.ts');
      await eventually(
        'the namespace is gone',
        async () => (await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace })) === undefined,
      );
    }),
  ]),
  uncovered: ['an uninstall of Serin itself: test/scenarios/uninstall.ts.'],
};

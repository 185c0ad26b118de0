import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
import type { Tenant } from './run/tenant.ts';

const record = (tenant: Tenant, name: string, labels: object, data: unknown, annotations: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name,
    namespace: tenant.namespace,
    labels: labels as Record<string, string>,
    annotations: annotations as Record<string, string>,
  },
  revision: 1,
  data,
});
const anchor = { 'serin.dev/record': 'anchor' };
/** The Canary without its metrics: their queries are secrets of the neighbour, which the tenant cannot know. */
const neighbours = async ({ field }: Tenant) => {
  const { cluster } = field.environment;
  const canary = await cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'web', namespace: field.neighbour });
  const real = await cluster.get({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    name: 'web-serin-anchor',
    namespace: field.neighbour,
  });
  if (!canary || !real) throw new Error('the neighbour has a Canary and an anchor');
  const { metrics: _, ...analysis } = raw(canary).spec.analysis;
  return { canary: { ...canary, spec: { ...raw(canary).spec, analysis } }, real, uid: canary.metadata.uid ?? '' };
};
/** With this status, written before Serin releases again. */
const status =
  (patch: object) =>
  async (tenant: Tenant): Promise<void> => {
    await tenant.app();
    await tenant.isReady();
    await tenant.edit(tenant.canaryRef, { status: patch }, { subresource: 'status' });
    await tenant.push('2');
  };
const release = (over: object) => status({ release: over });
const annotated =
  (annotations: Record<string, string>) =>
  async (tenant: Tenant): Promise<void> => {
    await tenant.app();
    await tenant.edit(tenant.canaryRef, { metadata: { annotations } });
    await tenant.edit(tenant.ref('Deployment'), { metadata: { annotations } });
    await tenant.isReady();
  };
const owned =
  (owner: (tenant: Tenant) => Promise<object>, kind = 'Canary') =>
  async (tenant: Tenant): Promise<void> => {
    await tenant.app();
    // The garbage collector can delete the object: an owner in another namespace does not exist.
    await tenant.edit(tenant.ref(kind), { metadata: { ownerReferences: [await owner(tenant)] } });
  };

export const forged: AttackClass = {
  name: 'forged',
  title: 'forged anchors, revisions, status, annotations, owners and labels',
  isRestarted: true,
  attacks: numbered('FRG', [
    attack('issue 14', "an anchor that names the neighbour's Canary, under its name", harmless, async (tenant) => {
      const { canary, uid } = await neighbours(tenant);
      await tenant.make(
        record(
          tenant,
          'web-serin-anchor',
          { ...anchor, 'serin.dev/canary': 'web' },
          { canaryUid: uid, canary },
          { 'serin.dev/canary-uid': uid },
        ),
      );
    }),
    attack('CWE-345', "the neighbour's anchor, copied as it is", harmless, async (tenant) => {
      const { real } = await neighbours(tenant);
      const { uid: _, resourceVersion: __, creationTimestamp: ___, managedFields: ____, ...metadata } = real.metadata;
      await tenant.make({ ...real, metadata: { ...metadata, name: `${tenant.name}-serin-anchor`, namespace: tenant.namespace } });
    }),
    attack('CWE-284', "an anchor that the neighbour's Canary in another namespace is to inherit", harmless, async (tenant) => {
      const { canary } = await neighbours(tenant);
      const forged = { ...canary, metadata: { ...canary.metadata, uid: 'forged', name: tenant.name } };
      await tenant.make(
        record(
          tenant,
          `${tenant.name}-serin-anchor`,
          { ...anchor, 'serin.dev/canary': tenant.name },
          { canaryUid: 'forged', canary: forged },
          { 'serin.dev/canary-uid': 'forged' },
        ),
      );
    }),
    ...(
      [
        ['without data', undefined],
        ['whose data is a text', 'x'],
        ['whose data is null', null],
        ['with a Canary that has no spec', { canaryUid: 'a', canary: { metadata: { name: 'frg', uid: 'a' } } }],
        ['that sets a prototype', JSON.parse('{"__proto__":{"canary":{}},"canaryUid":"a","constructor":{"prototype":{"x":1}}}')],
        ['whose original replicas are beyond all numbers', { canaryUid: 'a', replicas: 1e300 }],
        ['whose Canary is nested 300 deep', { canaryUid: 'a', canary: JSON.parse(`${'{"spec":'.repeat(300)}1${'}'.repeat(300)}`) }],
      ] as const
    ).map(([how, data], index) =>
      attack('issue 14' as const, `an anchor ${how}`, harmless, (tenant: Tenant) =>
        tenant.make(
          record(tenant, `forged-${index}-serin-anchor`, { ...anchor, 'serin.dev/canary': `forged-${index}` }, data, {
            'serin.dev/canary-uid': 'a',
          }),
        ),
      ),
    ),
    attack('CWE-770', 'anchors by the hundred, without a Canary', harmless, (tenant) =>
      tenant.make(
        ...Array.from({ length: 150 }, (_, n) =>
          record(
            tenant,
            `many-${n}-serin-anchor`,
            { ...anchor, 'serin.dev/canary': `many-${n}` },
            { canaryUid: `u${n}` },
            { 'serin.dev/canary-uid': `u${n}` },
          ),
        ),
      ),
    ),
    attack('CWE-441', 'its own anchor, changed to restore what is not its own', harmless, async (tenant) => {
      await tenant.app();
      await tenant.isReady();
      // The API server holds data to be immutable; delete and create is allowed.
      const ref = tenant.ref('ControllerRevision', `${tenant.name}-serin-anchor`);
      const before = await tenant.field.client.get(ref);
      await tenant.attempt(() => tenant.field.client.delete(ref));
      const canary: KubeObject = {
        ...tenant.canary(),
        metadata: { name: tenant.name, namespace: tenant.field.neighbour, uid: raw(before)?.data?.canaryUid },
      };
      await tenant.make(
        record(
          tenant,
          ref.name,
          before?.metadata.labels ?? {},
          {
            ...raw(before)?.data,
            canary: { ...canary, spec: { ...raw(canary).spec, targetRef: { ...raw(canary).spec.targetRef, name: 'web' } } },
          },
          before?.metadata.annotations,
        ),
      );
      await tenant.attempt(() => tenant.field.client.delete(tenant.canaryRef));
    }),
    attack(
      'owasp',
      'a promoted template of its own making, with a pod of the host',
      {
        async holds(tenant) {
          const primary = await tenant.field.client.get(tenant.ref('Deployment', `${tenant.name}-primary`));
          if (JSON.stringify(primary?.spec).includes('666')) throw new Error('a forged template runs');
        },
      },
      async (tenant) => {
        await tenant.app();
        await tenant.isReady();
        const { uid } = (await tenant.field.client.get(tenant.canaryRef))?.metadata ?? {};
        const template = {
          metadata: { labels: { app: 'x' } },
          spec: { hostNetwork: true, containers: [{ name: 'web', image: 'web:666' }] },
        };
        await tenant.make(
          record(
            tenant,
            `${tenant.name}-serin-666`,
            { 'serin.dev/record': 'template', 'serin.dev/canary': tenant.name },
            { revision: 's1:00', spec: { template } },
            { 'serin.dev/canary-uid': uid ?? '' },
          ),
        );
        await tenant.push('2');
        await tenant.ends();
      },
    ),
    attack('CWE-20', 'a release in status that is a text', harmless, release('x' as unknown as object)),
    attack('CWE-20', 'a release with a step that does not exist', harmless, release({ step: '__proto__', run: 1e300 })),
    attack(
      'CWE-284',
      'a release of a target elsewhere',
      harmless,
      release({ target: { uid: 'x', namespace: 'shop', name: 'web' }, revision: 's1:00' }),
    ),
    attack('CWE-918', 'deliveries to an inner address', harmless, async (tenant) =>
      release({ deliveries: [{ id: 'x', kind: 'webhook', name: 'h', url: tenant.field.internal.url('/x'), atMs: 0 }] })(tenant),
    ),
    attack(
      'CWE-770',
      'ten thousand deliveries',
      harmless,
      release({ deliveries: Array.from({ length: 10_000 }, (_, n) => ({ id: `${n}` })) }),
    ),
    attack('flagger', 'weights beyond all numbers', harmless, status({ canaryWeight: 1e9, iterations: -5, failedChecks: -1e9 })),
    attack(
      'CWE-93',
      'a cookie with a line end',
      harmless,
      status({ sessionAffinityCookie: 'a=b\r\nset-cookie: x=y', previousSessionAffinityCookie: 'x;\n' }),
    ),
    attack(
      'CWE-22',
      'tracked configs of another namespace',
      harmless,
      status({ trackedConfigs: { '../../shop/secrets/keys': 'x', 'secret/../keys': 'y' } }),
    ),
    attack('flagger', 'a phase that does not exist', harmless, status({ phase: 'Root', lastAppliedSpec: 'x', lastPromotedSpec: 'x' })),
    attack(
      'flagger',
      'a success that was not one',
      harmless,
      status({ phase: 'Succeeded', lastAppliedSpec: 's1:ff', lastPromotedSpec: 's1:ff' }),
    ),
    attack('CWE-20', 'conditions that speak of nothing', harmless, status({ conditions: null })),
    attack('CWE-345', 'marks of the neighbour', harmless, async (tenant) =>
      annotated({ 'serin.dev/canary-uid': (await neighbours(tenant)).uid, 'flagger-id': 'x' })(tenant),
    ),
    attack(
      'CWE-20',
      'requests, resumptions and dates that cannot be read',
      harmless,
      annotated({
        'serin.dev/request': '\u0000',
        'serin.dev/resume': 'x'.repeat(9000),
        'serin.dev/uninstall-since': 'NaN',
        'serin.dev/keep-on-uninstall': '__proto__',
      }),
    ),
    attack(
      'kubernetes',
      "a Canary owned by the neighbour's",
      harmless,
      owned(async (tenant) => ({
        apiVersion: 'flagger.app/v1beta1',
        kind: 'Canary',
        name: 'web',
        uid: (await neighbours(tenant)).uid,
        controller: true,
      })),
    ),
    attack(
      'kubernetes',
      "a target owned by the neighbour's anchor",
      harmless,
      owned(
        async (tenant) => ({
          apiVersion: 'apps/v1',
          kind: 'ControllerRevision',
          name: 'web-serin-anchor',
          uid: (await neighbours(tenant)).real.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        }),
        'Deployment',
      ),
    ),
    attack('CWE-345', "its records labelled as the neighbour's", harmless, async (tenant) => {
      const { uid } = await neighbours(tenant);
      await tenant.make(
        record(
          tenant,
          'web-serin-ffff',
          { 'serin.dev/record': 'template', 'serin.dev/canary': 'web' },
          { revision: 's1:ff', spec: { template: {} } },
          { 'serin.dev/canary-uid': uid },
        ),
      );
    }),
    attack('CWE-345', 'a primary that is there before, marked as made by Serin', { names: 'primary' }, async (tenant) => {
      const primary = aDeployment(tenant.namespace, `${tenant.name}-primary`);
      primary.metadata.annotations = { 'serin.dev/canary-uid': (await neighbours(tenant)).uid };
      await tenant.make(primary);
      await tenant.app();
    }),
    attack('CWE-345', 'managed fields in the name of Serin', harmless, async (tenant) => {
      await tenant.app();
      await tenant.attempt(() =>
        tenant.field.client.apply(
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: tenant.name, namespace: tenant.namespace },
            spec: { selector: { app: 'nowhere' }, ports: [{ port: 80 }] },
          },
          { fieldManager: 'serin', force: true },
        ),
      );
      await tenant.isReady();
    }),
  ]),
  uncovered: ['a tenant that may write in the namespace of the controller: it owns the controller.'],
};

import { expect } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { loadConnection } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import { isConflict } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { kubeconfigOf } from '../scenarios/account.ts';
import { peopleFileOf } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type AttackClass, attack, numbered } from './run/attack.ts';
import { type Field, Tenant } from './run/tenant.ts';

const at = () => new Date().toISOString();
const REQUEST = 'serin.dev/request';
const rbac = 'rbac.authorization.k8s.io';
const MOST_CONFLICTS = 20;
let ids = 0;

interface Editor {
  client: KubeCluster;
  user: string;
}
const editors = new WeakMap<Field, Promise<Editor>>();

/** May edit Canaries, and has none of the rights of requests; the policy of the chart is in force. */
function editorOf(field: Field): Promise<Editor> {
  const found = editors.get(field) ?? installed(field);
  editors.set(field, found);
  return found;
}

async function installed(field: Field): Promise<Editor> {
  const { startHelm } = await import('../e2e/helm.ts');
  const { namespace, environment } = field;
  const { cluster } = environment;
  const helm = await startHelm();
  const policies = (await helm.render('serin', { namespaces: [namespace], admissionPolicy: { enabled: true } })).filter(({ kind }) =>
    kind.startsWith('ValidatingAdmission'),
  );
  helm.stop();
  for (const object of policies) await cluster.apply(object);
  const account = { name: 'editor', namespace };
  await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
  const rules = [{ apiGroups: ['flagger.app'], resources: ['canaries'], verbs }];
  await cluster.create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: account, rules });
  await cluster.create({
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: account,
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'editor' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  const { file, user } = await kubeconfigOf({ cluster, kubeconfigFile: peopleFileOf(environment) }, account);
  const client = createCluster(await loadConnection({ kubeconfig: file, userAgent: 'editor' }), { requestTimeoutMs: 60_000 });
  field.stops.push(() => client.close());
  const probe = new Tenant({ ...field, client }, 'vap-probe');
  await eventually(
    'the editor may edit',
    async () =>
      (await probe.make({ ...probe.canary({}, { suspend: true }) })).length > 0 ||
      probe.refusals.some((one) => one.includes('AlreadyExists')),
  );
  const nonsense = async () => {
    probe.refusals.length = 0;
    await probe.edit(probe.canaryRef, { metadata: { annotations: { [REQUEST]: `nonsense ${ids++}` } } });
    return probe.refusals.join();
  };
  await eventually('the policy is in force', nonsense, (words) => words.includes('cannot be read'));
  return { client, user };
}

/** Acts as the editor on an existing Canary. */
const editing =
  (act: (tenant: Tenant, editor: Editor) => Promise<unknown>) =>
  async (tenant: Tenant): Promise<void> => {
    await tenant.app();
    await tenant.isReady();
    const editor = await editorOf(tenant.field);
    const as = new Tenant({ ...tenant.field, client: editor.client }, tenant.name);
    await act(as, editor);
    tenant.refusals.push(...as.refusals);
  };
const annotate = (text: (user: string) => string, key = REQUEST) =>
  editing((tenant, { user }) => tenant.edit(tenant.canaryRef, { metadata: { annotations: { [key]: text(user) } } }));
const request = (user: string, verb = 'promote') => `${verb} v${ids++} ${at()} ${user}`;
const unread = {
  async holds(tenant: Tenant) {
    const canary = await tenant.field.environment.cluster.get(tenant.canaryRef);
    expect(canary?.metadata.annotations?.[REQUEST]).toBeUndefined();
    expect(raw(canary)?.status?.release?.requests ?? []).toEqual([]);
  },
};

export const policy: AttackClass = {
  name: 'policy',
  title: 'requests by annotation, under the admission policy of the chart',
  needs: 'a real API server',
  attacks: numbered('VAP', [
    ...['promote', 'rollback', 'pause', 'resume', 'retry', 'undo'].map((verb) =>
      attack(
        'docs' as const,
        `${verb} without the right to it`,
        { refused: `may not ${verb}` },
        annotate((user) => request(user, verb)),
      ),
    ),
    attack(
      'CVE-2022-29165',
      'a request in the name of another user',
      { refused: 'is in the name of' },
      annotate(() => request('ann@example.org')),
    ),
    attack(
      'CVE-2022-29165',
      'a request in the name of the controller',
      { refused: 'is in the name of' },
      annotate(() => request('serin')),
    ),
    attack(
      'CWE-93',
      'a name with a line end and another one',
      { refused: 'is in the name of' },
      annotate((user) => `${request(user)}\nann`),
    ),
    attack(
      'CWE-20',
      'a name with a space at its end',
      { refused: 'is in the name of' },
      annotate((user) => `${request(user)} `),
    ),
    attack(
      'CWE-1007',
      'a verb in capitals',
      { refused: 'cannot be read' },
      annotate((user) => request(user, 'PROMOTE')),
    ),
    attack(
      'CWE-20',
      'two spaces',
      { refused: 'cannot be read' },
      annotate((user) => request(user).replace(' ', '  ')),
    ),
    attack(
      'CWE-20',
      'a tab',
      { refused: 'cannot be read' },
      annotate((user) => request(user).replaceAll(' ', '\t')),
    ),
    attack(
      'CWE-20',
      'an empty request',
      { refused: 'cannot be read' },
      annotate(() => ''),
    ),
    attack(
      'CWE-770',
      'a name of 200 KB',
      { refused: 'cannot be read' },
      annotate(() => request('x'.repeat(200_000))),
    ),
    attack(
      'CVE-2021-25735',
      'by JSON patch',
      { refused: 'may not promote' },
      editing((tenant, { user }) =>
        tenant.attempt(() =>
          tenant.field.client.patch(tenant.canaryRef, [{ op: 'add', path: '/metadata/annotations', value: { [REQUEST]: request(user) } }]),
        ),
      ),
    ),
    attack(
      'CVE-2021-25735',
      'by server-side apply',
      { refused: 'may not promote' },
      editing((tenant, { user }) =>
        tenant.attempt(() =>
          tenant.field.client.apply(
            { ...tenant.canary(), metadata: { name: tenant.name, namespace: tenant.namespace, annotations: { [REQUEST]: request(user) } } },
            { fieldManager: 'editor', force: true },
          ),
        ),
      ),
    ),
    attack(
      'CVE-2021-25735',
      'by replacing the whole',
      { refused: 'may not promote' },
      editing(async (tenant, { user }) => {
        const { client } = tenant.field;
        const replace = async (): Promise<KubeObject | undefined> => {
          const now = await client.get(tenant.canaryRef);
          return now && client.replace({ ...now, metadata: { ...now.metadata, annotations: { [REQUEST]: request(user) } } });
        };
        // A status write of Serin in between is a conflict, which the API server detects before it evaluates the policy.
        const insist = (triesLeft: number): Promise<KubeObject | undefined> =>
          replace().catch((error: unknown) => {
            if (triesLeft > 0 && isConflict(error)) return insist(triesLeft - 1);
            throw error;
          });
        await tenant.attempt(() => insist(MOST_CONFLICTS));
      }),
    ),
    attack(
      'CVE-2021-25735',
      'by the subresource status',
      unread,
      editing((tenant, { user }) =>
        tenant.edit(tenant.canaryRef, { metadata: { annotations: { [REQUEST]: request(user) } } }, { subresource: 'status' }),
      ),
    ),
    attack(
      'CWE-367',
      'by deleting the Canary and creating it with the request',
      { refused: 'may not promote' },
      editing(async (tenant, { user }) => {
        await tenant.attempt(() => tenant.field.client.delete(tenant.canaryRef));
        const canary = tenant.canary();
        await tenant.make({ ...canary, metadata: { ...canary.metadata, annotations: { [REQUEST]: request(user) } } });
      }),
    ),
    attack(
      'CWE-20',
      'by a name that the server makes',
      { refused: 'may not promote' },
      editing((tenant, { user }) => {
        const { name: _, ...metadata } = tenant.canary().metadata;
        return tenant.make({
          ...tenant.canary(),
          metadata: { ...metadata, generateName: `${tenant.name}-`, annotations: { [REQUEST]: request(user) } } as never,
        });
      }),
    ),
    attack(
      'CVE-2021-25735',
      'a dry run that writes',
      { refused: 'may not promote' },
      editing((tenant, { user }) =>
        tenant.attempt(() =>
          tenant.field.client.patch(tenant.canaryRef, { metadata: { annotations: { [REQUEST]: request(user) } } }, { dryRun: true }),
        ),
      ),
    ),
    ...['Serin.dev/request', 'serin.dev/Request', 'serin.dev./request', 'flagger.app/request'].map((key) =>
      attack(
        'CWE-1007' as const,
        `a key that looks like it: ${key}`,
        unread,
        annotate((user) => request(user), key),
      ),
    ),
    attack(
      'CWE-20',
      'a label instead of an annotation',
      unread,
      editing((tenant) => tenant.edit(tenant.canaryRef, { metadata: { labels: { [REQUEST]: 'promote' } } })),
    ),
    attack(
      'CVE-2021-25735',
      'an API version that the policy does not name',
      unread,
      editing((tenant, { user }) =>
        tenant.edit(
          { ...tenant.canaryRef, apiVersion: 'flagger.app/v1alpha3' },
          { metadata: { annotations: { [REQUEST]: request(user) } } },
        ),
      ),
    ),
    attack(
      'CVE-2021-25735',
      'the phase that allows an approval, in the same write',
      { refused: 'may not promote' },
      editing((tenant, { user }) =>
        tenant.edit(tenant.canaryRef, { metadata: { annotations: { [REQUEST]: request(user) } }, status: { phase: 'Waiting' } }),
      ),
    ),
    attack(
      'owasp',
      'a Role that grants it the verb',
      { refused: 'orbidden' },
      editing((tenant) =>
        tenant.make({
          apiVersion: `${rbac}/v1`,
          kind: 'Role',
          metadata: { name: 'more', namespace: tenant.namespace },
          rules: [{ apiGroups: ['flagger.app'], resources: ['canaries'], verbs: ['promote'] }],
        }),
      ),
    ),
    attack(
      'owasp',
      'the policy itself',
      { refused: 'orbidden' },
      editing((tenant) =>
        tenant.attempt(() =>
          tenant.field.client.delete({
            apiVersion: 'admissionregistration.k8s.io/v1',
            kind: 'ValidatingAdmissionPolicyBinding',
            name: 'serin-requests',
          }),
        ),
      ),
    ),
    attack(
      'owasp',
      "the neighbour's Canary",
      { refused: 'orbidden' },
      editing((tenant, { user }) =>
        tenant.edit(
          { ...tenant.canaryRef, name: 'web', namespace: tenant.field.neighbour },
          { metadata: { annotations: { [REQUEST]: request(user) } } },
        ),
      ),
    ),
    attack(
      'owasp',
      "the neighbour's Secret",
      { refused: 'orbidden' },
      editing((tenant) =>
        tenant.attempt(() =>
          tenant.field.client.get({ apiVersion: 'v1', kind: 'Secret', name: 'keys', namespace: tenant.field.neighbour }),
        ),
      ),
    ),
  ]),
  uncovered: [
    'edits of spec.skipAnalysis, of weights and of status by users with the right to edit: the policy bounds requests only (docs/verbs.md).',
    'impersonation: it takes the verb impersonate, which the chart grants to no one.',
  ],
};

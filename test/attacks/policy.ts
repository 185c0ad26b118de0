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
import { type AttackClass, numbered } from './run/attack.ts';
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
    ...['promote', 'rollback', 'pause', 'resume', 'retry', 'undo'].map((verb) => ({
      what: `${verb} without the right to it`,
      from: 'docs' as const,
      do: annotate((user) => request(user, verb)),
      expects: { refused: `may not ${verb}` },
    })),
    {
      what: 'a request in the name of another user',
      from: 'CVE-2022-29165',
      do: annotate(() => request('ann@example.org')),
      expects: { refused: 'is in the name of' },
    },
    {
      what: 'a request in the name of the controller',
      from: 'CVE-2022-29165',
      do: annotate(() => request('serin')),
      expects: { refused: 'is in the name of' },
    },
    {
      what: 'a name with a line end and another one',
      from: 'CWE-93',
      do: annotate((user) => `${request(user)}\nann`),
      expects: { refused: 'is in the name of' },
    },
    {
      what: 'a name with a space at its end',
      from: 'CWE-20',
      do: annotate((user) => `${request(user)} `),
      expects: { refused: 'is in the name of' },
    },
    {
      what: 'a verb in capitals',
      from: 'CWE-1007',
      do: annotate((user) => request(user, 'PROMOTE')),
      expects: { refused: 'cannot be read' },
    },
    {
      what: 'two spaces',
      from: 'CWE-20',
      do: annotate((user) => request(user).replace(' ', '  ')),
      expects: { refused: 'cannot be read' },
    },
    { what: 'a tab', from: 'CWE-20', do: annotate((user) => request(user).replaceAll(' ', '\t')), expects: { refused: 'cannot be read' } },
    { what: 'an empty request', from: 'CWE-20', do: annotate(() => ''), expects: { refused: 'cannot be read' } },
    { what: 'a name of 200 KB', from: 'CWE-770', do: annotate(() => request('x'.repeat(200_000))), expects: { refused: 'cannot be read' } },
    {
      what: 'by JSON patch',
      from: 'CVE-2021-25735',
      do: editing((tenant, { user }) =>
        tenant.attempt(() =>
          tenant.field.client.patch(tenant.canaryRef, [{ op: 'add', path: '/metadata/annotations', value: { [REQUEST]: request(user) } }]),
        ),
      ),
      expects: { refused: 'may not promote' },
    },
    {
      what: 'by server-side apply',
      from: 'CVE-2021-25735',
      do: editing((tenant, { user }) =>
        tenant.attempt(() =>
          tenant.field.client.apply(
            { ...tenant.canary(), metadata: { name: tenant.name, namespace: tenant.namespace, annotations: { [REQUEST]: request(user) } } },
            { fieldManager: 'editor', force: true },
          ),
        ),
      ),
      expects: { refused: 'may not promote' },
    },
    {
      what: 'by replacing the whole',
      from: 'CVE-2021-25735',
      do: editing(async (tenant, { user }) => {
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
      expects: { refused: 'may not promote' },
    },
    {
      what: 'by the subresource status',
      from: 'CVE-2021-25735',
      do: editing((tenant, { user }) =>
        tenant.edit(tenant.canaryRef, { metadata: { annotations: { [REQUEST]: request(user) } } }, { subresource: 'status' }),
      ),
      expects: unread,
    },
    {
      what: 'by deleting the Canary and creating it with the request',
      from: 'CWE-367',
      do: editing(async (tenant, { user }) => {
        await tenant.attempt(() => tenant.field.client.delete(tenant.canaryRef));
        const canary = tenant.canary();
        await tenant.make({ ...canary, metadata: { ...canary.metadata, annotations: { [REQUEST]: request(user) } } });
      }),
      expects: { refused: 'may not promote' },
    },
    {
      what: 'by a name that the server makes',
      from: 'CWE-20',
      do: editing((tenant, { user }) => {
        const { name: _, ...metadata } = tenant.canary().metadata;
        return tenant.make({
          ...tenant.canary(),
          metadata: { ...metadata, generateName: `${tenant.name}-`, annotations: { [REQUEST]: request(user) } } as never,
        });
      }),
      expects: { refused: 'may not promote' },
    },
    {
      what: 'a dry run that writes',
      from: 'CVE-2021-25735',
      do: editing((tenant, { user }) =>
        tenant.attempt(() =>
          tenant.field.client.patch(tenant.canaryRef, { metadata: { annotations: { [REQUEST]: request(user) } } }, { dryRun: true }),
        ),
      ),
      expects: { refused: 'may not promote' },
    },
    ...['Serin.dev/request', 'serin.dev/Request', 'serin.dev./request', 'flagger.app/request'].map((key) => ({
      what: `a key that looks like it: ${key}`,
      from: 'CWE-1007' as const,
      do: annotate((user) => request(user), key),
      expects: unread,
    })),
    {
      what: 'a label instead of an annotation',
      from: 'CWE-20',
      do: editing((tenant) => tenant.edit(tenant.canaryRef, { metadata: { labels: { [REQUEST]: 'promote' } } })),
      expects: unread,
    },
    {
      what: 'an API version that the policy does not name',
      from: 'CVE-2021-25735',
      do: editing((tenant, { user }) =>
        tenant.edit(
          { ...tenant.canaryRef, apiVersion: 'flagger.app/v1alpha3' },
          { metadata: { annotations: { [REQUEST]: request(user) } } },
        ),
      ),
      expects: unread,
    },
    {
      what: 'the phase that allows an approval, in the same write',
      from: 'CVE-2021-25735',
      do: editing((tenant, { user }) =>
        tenant.edit(tenant.canaryRef, { metadata: { annotations: { [REQUEST]: request(user) } }, status: { phase: 'Waiting' } }),
      ),
      expects: { refused: 'may not promote' },
    },
    {
      what: 'a Role that grants it the verb',
      from: 'owasp',
      do: editing((tenant) =>
        tenant.make({
          apiVersion: `${rbac}/v1`,
          kind: 'Role',
          metadata: { name: 'more', namespace: tenant.namespace },
          rules: [{ apiGroups: ['flagger.app'], resources: ['canaries'], verbs: ['promote'] }],
        }),
      ),
      expects: { refused: 'orbidden' },
    },
    {
      what: 'the policy itself',
      from: 'owasp',
      do: editing((tenant) =>
        tenant.attempt(() =>
          tenant.field.client.delete({
            apiVersion: 'admissionregistration.k8s.io/v1',
            kind: 'ValidatingAdmissionPolicyBinding',
            name: 'serin-requests',
          }),
        ),
      ),
      expects: { refused: 'orbidden' },
    },
    {
      what: "the neighbour's Canary",
      from: 'owasp',
      do: editing((tenant, { user }) =>
        tenant.edit(
          { ...tenant.canaryRef, name: 'web', namespace: tenant.field.neighbour },
          { metadata: { annotations: { [REQUEST]: request(user) } } },
        ),
      ),
      expects: { refused: 'orbidden' },
    },
    {
      what: "the neighbour's Secret",
      from: 'owasp',
      do: editing((tenant) =>
        tenant.attempt(() =>
          tenant.field.client.get({ apiVersion: 'v1', kind: 'Secret', name: 'keys', namespace: tenant.field.neighbour }),
        ),
      ),
      expects: { refused: 'orbidden' },
    },
  ]),
  uncovered: [
    'edits of spec.skipAnalysis, of weights and of status by users with the right to edit: the policy bounds requests only (docs/verbs.md).',
    'impersonation: it takes the verb impersonate, which the chart grants to no one.',
  ],
};

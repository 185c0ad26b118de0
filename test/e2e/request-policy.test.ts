import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rightOf } from '../../scripts/admission/request-policy.ts';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { requestAnnotation } from '../../src/api/names.ts';
import { Verb } from '../../src/api/verb-request.ts';
import { onCluster } from '../../src/cli/canaries/session.ts';
import { verbCommand } from '../../src/cli/canaries/verb-command.ts';
import { exitCodes } from '../../src/cli/output/exit-codes.ts';
import { loadConnection } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import { ApiError } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { RequestResult } from '../../src/reading/documents/canary-documents.ts';
import { raw } from '../fakes/raw.ts';
import { kubeconfigOf } from '../scenarios/account.ts';
import { applyCrds, OWN_CRDS } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { until } from '../scenarios/until.ts';
import { type Helm, startHelm } from './helm.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

/** With the policy, and without. */
const [SHOP, OPEN] = ['shop', 'open'];
/** May edit, and has every right. */
const ANN = 'ann@example.org';
/** May edit, and has no right of its own. */
const BEN = 'ben@example.org';
/** May edit, and holds and takes back. */
const CARLA = 'Carla van Dyk';
/** May edit, and approves. */
const DORA = 'dora';
const ROBOT = 'robot';
const rbac = { group: 'rbac.authorization.k8s.io', apiVersion: 'rbac.authorization.k8s.io/v1' };
/** Too long for a user name. */
const TOO_LONG = 'x'.repeat(301);
const at = '2026-11-22T09:30:00Z';

const canaryRef = (namespace: string, name = 'podinfo'): ObjectRef => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  namespace,
  name,
});
const aCanary = (namespace: string, name: string, request?: string): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { namespace, name, ...(request !== undefined && { annotations: { [requestAnnotation]: request } }) },
  spec: {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    service: { port: 80 },
    analysis: { interval: '1m', threshold: 5, stepWeight: 10, maxWeight: 50 },
  },
});

describe('the policy of requests', () => {
  let real: RealCluster;
  let helm: Helm;
  let robot: { file: string; folder: string; user: string };
  const clients = new Map<string, KubeCluster>();
  let ids = 0;

  /** Roles in a namespace, for a user or the service account. */
  async function grant(namespace: string, subject: string, verbs: readonly string[]): Promise<void> {
    const name = `${subject.toLowerCase().replace(/[^a-z]+/g, '-')}-may`;
    const metadata = { name, namespace };
    const resources = ['canaries'];
    const rules = [{ apiGroups: ['flagger.app'], resources, verbs }];
    await real.cluster.create({ apiVersion: rbac.apiVersion, kind: 'Role', metadata, rules });
    const [kind, who] = subject === ROBOT ? ['ServiceAccount', { namespace }] : ['User', { apiGroup: rbac.group }];
    const bind = (to: string, roleRef: object) =>
      real.cluster.create({
        apiVersion: rbac.apiVersion,
        kind: 'RoleBinding',
        metadata: { name: to, namespace },
        roleRef: { apiGroup: rbac.group, ...roleRef },
        subjects: [{ kind, name: subject, ...who }],
      });
    await bind(name, { kind: 'Role', name });
    for (const role of ['serin-view', 'serin-edit']) await bind(`${name}-${role}`, { kind: 'ClusterRole', name: role });
    const user = subject === ROBOT ? `system:serviceaccount:${namespace}:${ROBOT}` : subject;
    // The API server takes a moment to learn of a role.
    for (const verb of ['get', 'patch', ...verbs]) await eventually(`${subject} may ${verb}`, () => isAllowed(user, verb, namespace));
  }

  async function isAllowed(user: string, verb: string, namespace: string): Promise<boolean> {
    const resourceAttributes = { group: 'flagger.app', resource: 'canaries', namespace, verb };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { user, resourceAttributes } };
    const { status } = raw((await real.cluster.raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review)) as KubeObject);
    return status.allowed;
  }

  beforeAll(async () => {
    real = await startRealCluster({ people: [ANN, BEN, CARLA, DORA] });
    helm = await startHelm();
    await applyCrds(real.cluster, [OWN_CRDS]);
    for (const name of [SHOP, OPEN]) await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const roles = (await helm.render('serin', { admissionPolicy: { enabled: true } })).filter(({ kind }) => kind === 'ClusterRole');
    const policies = (await helm.render('serin', { namespaces: [SHOP], admissionPolicy: { enabled: true } })).filter(({ kind }) =>
      kind.startsWith('ValidatingAdmission'),
    );
    expect(policies.map(({ kind }) => kind)).toEqual(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']);
    for (const object of [...roles, ...policies]) await real.cluster.apply(object);

    const all = raw(roles.find(({ metadata }) => metadata.name === 'serin-requests'))?.rules[0].verbs;
    await real.cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ROBOT, namespace: SHOP } });
    await grant(SHOP, ANN, all);
    await grant(SHOP, BEN, ['get']);
    await grant(OPEN, BEN, ['get']);
    await grant(SHOP, CARLA, ['pause', 'rollback']);
    await grant(SHOP, DORA, ['approve']);
    await grant(SHOP, ROBOT, ['promote']);
    robot = await kubeconfigOf({ cluster: real.cluster, kubeconfigFile: real.adminKubeconfigFile }, { name: ROBOT, namespace: SHOP });
    for (const person of [ANN, BEN, CARLA, DORA, robot.user]) {
      const connection = await loadConnection({ kubeconfig: fileOf(person), userAgent: 'serin-e2e' });
      clients.set(person, createCluster(connection, { requestTimeoutMs: 60_000 }));
    }

    for (const namespace of [SHOP, OPEN]) await real.cluster.create(aCanary(namespace, 'podinfo'));
    // A new text each time: the policy accepts an unchanged annotation.
    const nonsense = () => write(ANN, `nonsense ${nextId()}`);
    await eventually('the policy is in force', nonsense, (answer) => answer.includes('cannot be read'));
  });
  afterAll(async () => {
    for (const client of clients.values()) client.close();
    if (robot) rmSync(robot.folder, { recursive: true, force: true });
    helm?.stop();
    await real?.stop();
  });

  const fileOf = (person: string) => (person === robot.user ? robot.file : real.kubeconfigFileOf(person));
  function clientOf(person: string): KubeCluster {
    const client = clients.get(person);
    if (!client) throw new Error(`${person} has a client`);
    return client;
  }
  const nextId = () => `id-${ids++}`;

  /** The API server's answer to a write of this user. */
  async function answered(doing: Promise<unknown>): Promise<string> {
    try {
      await doing;
      return 'taken';
    } catch (error) {
      if (error instanceof ApiError) return error.message;
      throw error;
    }
  }
  const annotate = (person: string, annotations: object, namespace = SHOP) =>
    answered(clientOf(person).patch(canaryRef(namespace), { metadata: { annotations } }));
  const write = (person: string, request: string | null, namespace = SHOP) => annotate(person, { [requestAnnotation]: request }, namespace);
  const edit = (person: string, note: string) => annotate(person, { note });
  const ask = (person: string, verb: Verb, by = person, namespace = SHOP) => write(person, `${verb} ${nextId()} ${at} ${by}`, namespace);
  const isIn = (phase: string) => real.cluster.patch(canaryRef(SHOP), { status: { phase } }, { subresource: 'status' });

  it('a user who has the right to a request writes it in their own name, also with spaces in it, and as a service account', async () => {
    await isIn('Progressing');
    for (const verb of Verb.options) expect(await ask(ANN, verb), verb).toBe('taken');
    for (const verb of ['pause', 'resume', 'rollback'] as const) expect(await ask(CARLA, verb), verb).toBe('taken');
    for (const verb of ['promote', 'retry', 'undo'] as const) expect(await ask(robot.user, verb), verb).toBe('taken');
  });

  it.each([
    { who: BEN, verbs: Verb.options },
    { who: CARLA, verbs: ['promote', 'retry', 'undo'] as const },
    { who: DORA, verbs: Verb.options },
  ])('$who lacks the right to a request, although they may edit, and the answer names the verb that it takes', async ({ who, verbs }) => {
    await isIn('Progressing');
    for (const verb of verbs) {
      const answer = await ask(who, verb);
      expect(answer).toContain('403 Forbidden');
      expect(answer).toContain(
        `${who} may not ${verb} canary podinfo in phase Progressing: it takes the verb ${rightOf[verb]} on canaries.flagger.app in namespace shop`,
      );
    }
    expect(await edit(who, 'and what it does not ask for passes')).toBe('taken');
  });

  it.each(['Waiting', 'WaitingPromotion'])(
    'in %s a promotion approves: promote or approve is enough, and nothing else is',
    async (phase) => {
      await isIn(phase);
      expect(await ask(DORA, 'promote')).toBe('taken');
      expect(await ask(robot.user, 'promote')).toBe('taken');
      expect(await ask(CARLA, 'promote')).toContain(`in phase ${phase}: it takes the verb promote or approve on`);
      expect(await ask(DORA, 'undo')).toContain('it takes the verb promote on');
    },
  );

  it('the phase is the recorded one: a write that brings its own along is judged by what was before', async () => {
    await isIn('Progressing');
    const annotations = { [requestAnnotation]: `promote ${nextId()} ${at} ${DORA}` };
    const answer = await answered(clientOf(DORA).patch(canaryRef(SHOP), { metadata: { annotations }, status: { phase: 'Waiting' } }));
    expect(answer).toContain('in phase Progressing: it takes the verb promote on');
  });

  it('a request in the name of another user is refused, with any rights', async () => {
    const answer = await ask(ANN, 'pause', BEN);
    expect(answer).toContain('403 Forbidden');
    expect(answer).toContain(
      `${requestAnnotation} is in the name of ${BEN}, but the API server knows you as ${ANN}: request it in your own name`,
    );
    expect(await ask(BEN, 'pause', ANN)).toContain(`is in the name of ${ANN}, but the API server knows you as ${BEN}`);
    expect(await ask(CARLA, 'pause', 'Carla')).toContain('is in the name of Carla, but the API server knows you as Carla van Dyk');
    expect(await ask(robot.user, 'promote', ROBOT)).toContain(`knows you as system:serviceaccount:${SHOP}:${ROBOT}`);
  });

  it.each([
    '',
    'promote',
    `promote one ${at}`,
    `promote one ${at} `,
    `Promote one ${at} ${ANN}`,
    `delete one ${at} ${ANN}`,
    `promote one/two ${at} ${ANN}`,
    `promote  ${at} ${ANN}`,
    `promote one today ${ANN}`,
    `promote one 2026-11-22 ${ANN}`,
    `promote one ${at} ${TOO_LONG}`,
  ])('an unreadable request is refused with the form of a request: "%s"', async (text) => {
    const answer = await write(ANN, text);
    expect(answer).toContain('422 Invalid');
    expect(answer).toContain(
      `${requestAnnotation} cannot be read: a request is <verb> <id> <RFC 3339 time> <user name>, and the verbs are ${Verb.options.join(', ')}`,
    );
  });

  it('an existing request survives the edits of other users, who can remove it and not write it again', async () => {
    const request = `pause ${nextId()} ${at} ${ANN}`;
    expect(await write(ANN, request)).toBe('taken');
    expect(await edit(BEN, 'kept')).toBe('taken');
    expect(await answered(clientOf(BEN).patch(canaryRef(SHOP), { spec: { analysis: { threshold: 6 } } }))).toBe('taken');
    const whole = await real.cluster.get(canaryRef(SHOP));
    expect(whole?.metadata.annotations?.[requestAnnotation]).toBe(request);
    expect(await write(BEN, request)).toBe('taken');
    expect(await write(BEN, null)).toBe('taken');
    expect(await write(BEN, request)).toContain(`is in the name of ${ANN}`);
    await isIn('Progressing');
  });

  it('only a user with the right to the verb can create a Canary with a request', async () => {
    const create = (person: string, name: string, request?: string) =>
      answered(clientOf(person).create(aCanary(SHOP, name, request), { dryRun: true }));
    expect(await create(BEN, 'plain')).toBe('taken');
    expect(await create(ANN, 'asked', `promote ${nextId()} ${at} ${ANN}`)).toBe('taken');
    expect(await create(BEN, 'asked', `promote ${nextId()} ${at} ${BEN}`)).toContain(`${BEN} may not promote canary asked: it takes`);
    expect(await create(BEN, 'asked', `promote ${nextId()} ${at} ${ANN}`)).toContain(`is in the name of ${ANN}`);
    expect(await create(DORA, 'asked', 'nonsense')).toContain('cannot be read');
  });

  it('without a policy, every user who may edit can request everything, in any name', async () => {
    expect(await ask(BEN, 'promote', BEN, OPEN)).toBe('taken');
    expect(await ask(BEN, 'undo', ANN, OPEN)).toBe('taken');
    expect(await write(BEN, 'nonsense', OPEN)).toBe('taken');
  });

  async function serin(person: string, verb: Verb) {
    let [said, complained] = ['', ''];
    const streams = {
      out: { write: (more: string) => (said += more) },
      err: { write: (more: string) => (complained += more) },
    };
    const flags = { kubeconfig: fileOf(person), namespace: SHOP, output: 'json' } as const;
    const act: Parameters<typeof onCluster>[1] = (session) => verbCommand(session, verb, 'podinfo', { wait: false, timeout: '1m' });
    const code = await onCluster(flags, act, { env: {}, streams });
    return { code, complained, result: RequestResult.parse(JSON.parse(said)) };
  }

  it('serin sends a request in the name that the API server knows, and reports a refusal by its exit code and the words of the policy', async () => {
    // No controller answers here, and a request without an answer is waited for.
    const afresh = () => real.cluster.patch(canaryRef(SHOP), { metadata: { annotations: { [requestAnnotation]: null } } });
    await isIn('Progressing');
    for (const [person, verb] of [
      [ANN, 'undo'],
      [CARLA, 'pause'],
      [robot.user, 'promote'],
    ] as const) {
      await afresh();
      expect(await serin(person, verb)).toMatchObject({ code: exitCodes.done.code, result: { outcome: 'requested' } });
      const stored = await until(real.cluster, canaryRef(SHOP), 'holds the request', (now) =>
        now?.metadata.annotations?.[requestAnnotation]?.startsWith(verb),
      );
      expect(stored?.metadata.annotations?.[requestAnnotation]).toMatch(new RegExp(` ${person}$`));
    }
    await afresh();
    const message = expect.stringMatching(/^the API server refused to record promote: .*ben@example\.org may not promote/);
    const refused = await serin(BEN, 'promote');
    expect(refused).toMatchObject({ code: exitCodes.refused.code, result: { outcome: 'refused', message } });
    expect(refused.complained.replaceAll(/\s+/g, ' ')).toContain('it takes the verb promote on canaries.flagger.app in namespace shop');
    expect((await real.cluster.get(canaryRef(SHOP)))?.metadata.annotations?.[requestAnnotation]).toBeUndefined();
  });
});

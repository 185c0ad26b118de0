import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { dashboardPermissions } from '../../src/controller/permissions.ts';
import { askHttp, openStream } from '../fakes/ask-http.ts';
import { sessionIn } from '../fakes/controller-dashboard.ts';
import { program } from '../fakes/program.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { applyCrds, OWN_CRDS } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { readAuditLog } from './audit-log.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const rbac = { group: 'rbac.authorization.k8s.io', apiVersion: 'rbac.authorization.k8s.io/v1' };
const canaryRef = (namespace: string): ObjectRef => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  namespace,
  name: `shop-${namespace}`,
});
/** In namespace `a`, where its Role is. */
const EDITOR = 'system:serviceaccount:a:editor';

describe('the dashboard of the controller on a real control plane', () => {
  let real: RealCluster;
  let controller: GuardedProcess;
  let port = 0;
  let host = '';
  const logFile = () => join(real.folder, 'controller.log');

  const token = async (name: string, audience?: string): Promise<string> => {
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { ...(audience && { audiences: [audience] }) } };
    return raw((await real.cluster.raw('POST', `/api/v1/namespaces/a/serviceaccounts/${name}/token`, request)) as KubeObject).status.token;
  };
  const login = (body: object) =>
    askHttp(port, '/login', {
      method: 'POST',
      headers: { host, origin: `http://${host}`, 'x-serin-dashboard': '1', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const sessionOf = async (name: string): Promise<Record<string, string>> => {
    const answer = await login({ token: await token(name) });
    expect(answer.status).toBe(204);
    return { host, ...sessionIn(answer) };
  };
  const rowsFor = async (name: string): Promise<string[]> => {
    const { text } = await askHttp(port, '/api/stream', { headers: await sessionOf(name) });
    return JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '{}').rows.map((row: { name: string }) => row.name);
  };
  const promote = async (name: string, namespace: string) =>
    askHttp(port, `/api/canaries/${namespace}/shop-${namespace}/verbs`, {
      method: 'POST',
      headers: { ...(await sessionOf(name)), origin: `http://${host}`, 'x-serin-dashboard': '1', 'content-type': 'application/json' },
      body: '{"verb":"promote"}',
    });

  beforeAll(async () => {
    real = await startRealCluster({ moreControllers: [] });
    await applyCrds(real.cluster, [OWN_CRDS]);
    const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const account = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'a', name } });
    const bound = (kind: 'Role' | 'ClusterRole', name: string, rules: object[], subject: object): KubeObject[] => {
      const metadata = { name, ...(kind === 'Role' && { namespace: 'a' }) };
      return [
        { apiVersion: rbac.apiVersion, kind, metadata, rules },
        {
          apiVersion: rbac.apiVersion,
          kind: `${kind}Binding`,
          metadata,
          roleRef: { apiGroup: rbac.group, kind, name },
          subjects: [subject],
        },
      ];
    };
    const canary = (name: string): KubeObject => ({
      ...{ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { namespace: name, name: `shop-${name}` } },
      spec: {
        ...{ provider: 'kubernetes', targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `shop-${name}` } },
        ...{ service: { port: 80 }, analysis: { interval: '1m', threshold: 5, iterations: 3 } },
      },
    });
    const canaries = (verbs: string[]) => ({ apiGroups: ['flagger.app'], resources: ['canaries'], verbs });
    const subject = (name: string) => ({ kind: 'ServiceAccount', namespace: 'a', name });
    const objects = [
      ...['a', 'b'].map(namespace),
      ...['editor', 'viewer', 'stranger'].map(account),
      ...bound('Role', 'editor', [canaries(['get', 'list', 'watch', 'patch'])], subject('editor')),
      ...bound('ClusterRole', 'viewer', [canaries(['get', 'list', 'watch'])], subject('viewer')),
      ...bound(
        'ClusterRole',
        'dashboard',
        [...dashboardPermissions.views, ...dashboardPermissions.reviews].map(({ group, resources, verbs }) => ({
          apiGroups: [group],
          resources,
          verbs,
        })),
        { apiGroup: rbac.group, kind: 'User', name: 'serin' },
      ),
      ...['a', 'b'].map(canary),
    ];
    for (const object of objects) await real.cluster.create(object);
    const flags = ['--kubeconfig', real.kubeconfigFile, '--port', '0', '--dashboard', '--dashboard-local-port', '0', '--dashboard-verbs'];
    controller = startGuarded('serin', [process.execPath, program(), 'controller', ...flags], logFile());
    const line = await eventually(
      'the dashboard is served',
      async () => /.*the dashboard is served.*/.exec(readFileSync(logFile(), 'utf8'))?.[0],
    );
    port = JSON.parse(line ?? '{}').localPort;
    host = `localhost:${port}`;
  });
  afterAll(async () => {
    await controller?.stop();
    await real?.stop();
  });

  it('lets in whom the API server knows, and no one else', async () => {
    expect((await login({ token: 'x' })).status).toBe(401);
    expect((await login({ token: await token('viewer', 'vault') })).status).toBe(401);
    const forged = (await token('viewer')).split('.').with(2, 'AAAA').join('.');
    expect((await login({ token: forged })).status).toBe(401);
    const about = await askHttp(port, '/api/session', { headers: await sessionOf('viewer') });
    expect(JSON.parse(about.text)).toEqual({ user: 'system:serviceaccount:a:viewer', mayAct: true });
  });

  it('shows each user the Canaries that RBAC shows them', async () => {
    await eventually('both are there', async () => (await rowsFor('viewer')).length === 2);
    expect(await rowsFor('editor')).toEqual(['shop-a']);
    expect(await rowsFor('stranger')).toEqual([]);
    const views = ['history', 'difference', 'stream', 'releases/1'];
    const answers = await Promise.all(
      views.map(async (view) => (await askHttp(port, `/api/canaries/b/shop-b/${view}`, { headers: await sessionOf('editor') })).status),
    );
    expect(answers).toEqual([403, 403, 403, 403]);
  });

  it('shows a release, without what its reader may not read', async () => {
    const { text } = await askHttp(port, '/api/canaries/a/shop-a/stream', { headers: await sessionOf('editor') });
    const release: Raw = JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '{}');
    expect(release).toMatchObject({ namespace: 'a', name: 'shop-a', pods: [] });
    expect(release.hidden.join()).toContain('Deployment may not be read');
  });

  it('requests a verb in the name of its user, who needs the right to patch', async () => {
    const refused = JSON.parse((await promote('viewer', 'a')).text);
    expect(refused).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('"system:serviceaccount:a:viewer" cannot patch'),
    });
    expect((await promote('editor', 'b')).status).toBe(403);
    // Nothing is released yet: the controller itself refuses.
    expect(JSON.parse((await promote('editor', 'a')).text)).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('promote was refused'),
    });
    const { requests } = raw((await real.cluster.get(canaryRef('a')))?.status as object).release;
    expect(requests).toEqual([expect.objectContaining({ verb: 'promote', by: EDITOR, outcome: 'refused' })]);
    expect(raw((await real.cluster.get(canaryRef('b'))) ?? {}).metadata.annotations?.['serin.dev/request']).toBeUndefined();
    expect(readFileSync(logFile(), 'utf8')).toContain(`"user":"${EDITOR}","verb":"promote"`);
  });

  it('costs no watch and no list of Canaries beyond the controller’s own while the list is looked at', async () => {
    const audit = readAuditLog(real.auditLog);
    const ofCanaries = () =>
      audit
        .events()
        .filter(
          ({ user, verb, requestURI }) =>
            user.username === 'serin' && ['list', 'watch'].includes(verb) && requestURI.startsWith('/apis/flagger.app/v1beta1/canaries?'),
        ).length;
    const before = ofCanaries();
    expect(before).toBeGreaterThan(0);
    const stream = openStream(port, '/api/stream', await sessionOf('viewer'));
    await eventually('the list is there', async () => stream.text.includes('shop-b'));
    await real.cluster.patch(canaryRef('b'), { spec: { analysis: { threshold: 7 } } });
    await eventually('a change is there', async () => stream.text.includes('"threshold":7'));
    expect(ofCanaries()).toBe(before);
    stream.close();
  });

  it('ends a stream when the binding of its user is deleted', async () => {
    const stream = openStream(port, '/api/canaries/a/shop-a/stream', await sessionOf('editor'));
    await eventually('the release is there', async () => stream.text.includes('event: release'));
    await real.cluster.delete({ apiVersion: rbac.apiVersion, kind: 'RoleBinding', namespace: 'a', name: 'editor' });
    await eventually('the stream has ended', async () => stream.isOver);
    expect(await rowsFor('editor')).toEqual([]);
  });

  it('no token is in the log of the controller', async () => {
    const text = readFileSync(logFile(), 'utf8');
    expect(text).toContain('login to the dashboard');
    expect(text).not.toMatch(/eyJ[\w-]+\./);
  });
});

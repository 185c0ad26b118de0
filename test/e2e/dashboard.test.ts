import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askHttp, openStream } from '../fakes/ask-http.ts';
import { sessionIn } from '../fakes/controller-dashboard.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { eventually } from '../scenarios/eventually.ts';
import { readAuditLog } from './audit-log.ts';
import { canaryRef, RBAC, ServedDashboard } from './served-dashboard.ts';

/** In namespace `a`, where its Role is. */
const EDITOR = 'system:serviceaccount:a:editor';

describe('the dashboard of the controller on a real control plane', () => {
  let served: ServedDashboard;
  let port = 0;
  let host = '';
  const token = (name: string, audience?: string) => served.token(name, audience);
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
    served = await ServedDashboard.start();
    port = served.localPort;
    host = `localhost:${port}`;
  });
  afterAll(() => served?.stop());

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
    expect(release.hidden.join()).toContain('Deployment cannot be read');
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
    const { requests } = raw((await served.real.cluster.get(canaryRef('a')))?.status as object).release;
    expect(requests).toEqual([expect.objectContaining({ verb: 'promote', by: EDITOR, outcome: 'refused' })]);
    expect(raw((await served.real.cluster.get(canaryRef('b'))) ?? {}).metadata.annotations?.['serin.dev/request']).toBeUndefined();
    expect(served.log).toContain(`"user":"${EDITOR}","verb":"promote"`);
  });

  it('costs no watch and no list of Canaries beyond the controller’s own while the list is looked at', async () => {
    const audit = readAuditLog(served.real.auditLog);
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
    await served.real.cluster.patch(canaryRef('b'), { spec: { analysis: { threshold: 7 } } });
    await eventually('a change is there', async () => stream.text.includes('"threshold":7'));
    expect(ofCanaries()).toBe(before);
    stream.close();
  });

  it('ends a stream when the binding of its user is deleted', async () => {
    const stream = openStream(port, '/api/canaries/a/shop-a/stream', await sessionOf('editor'));
    await eventually('the release is there', async () => stream.text.includes('event: release'));
    await served.real.cluster.delete({ apiVersion: RBAC.apiVersion, kind: 'RoleBinding', namespace: 'a', name: 'editor' });
    await eventually('the stream has ended', async () => stream.isOver);
    expect(await rowsFor('editor')).toEqual([]);
  });

  it('no token is in the log of the controller', async () => {
    const text = served.log;
    expect(text).toContain('login to the dashboard');
    expect(text).not.toMatch(/eyJ[\w-]+\./);
  });
});

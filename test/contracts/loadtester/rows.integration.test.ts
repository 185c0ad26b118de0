import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTarget } from '../../fakes/test-target.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { payload, startTested, type TestedLoadTester } from './start.ts';

let tester: TestedLoadTester;
let target: Awaited<ReturnType<typeof startTarget>>;
const folder = mkdtempSync(join(tmpdir(), 'serin-loadtester-'));
beforeAll(async () => {
  target = await startTarget();
  tester = await startTested({ commandNamespaces: ['trusted'] });
});
beforeEach(() => {
  target.asked.length = 0;
});
afterAll(async () => {
  await tester.stop();
  await target.stop();
  rmSync(folder, { recursive: true });
});

describe('routes', () => {
  it('health, approve and halt always answer, for any request', async () => {
    expect(await tester.get('/healthz')).toMatchObject({ status: 200, text: 'OK' });
    expect(await tester.post('/gate/approve', 'no json')).toMatchObject({ status: 200, text: 'OK' });
    expect(await tester.post('/gate/halt', payload())).toMatchObject({ status: 403, text: 'Forbidden' });
    expect((await tester.get('/healthz')).headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('metrics are those of the process and of tasks', async () => {
    await tester.post('/', payload({ type: 'bash', cmd: `curl -s ${target.url}/` }));
    const { status, text, headers } = await tester.get('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toMatch(/^loadtester_tasks_total\{type="bash",result="succeeded"\} \d+$/m);
    expect(text).toMatch(/^loadtester_tasks_running\{type="bash"\} 0$/m);
    expect(text).toMatch(/^loadtester_task_duration_seconds_count\{type="bash"\} \d+$/m);
    expect(text).toContain('loadtester_info{version="test"} 1');
  });

  it.each([{ gate: 'gate' }, { gate: 'rollback' }])('/$gate is closed, open after open, closed after close', async ({ gate }) => {
    const of = (name: string) => payload(undefined, { name });
    const check = async (name: string) => {
      const { status, text } = await tester.post(`/${gate}/check`, of(name));
      return `${status} ${text}`;
    };
    expect(await check(gate)).toBe('403 Forbidden');
    expect(await tester.post(`/${gate}/open`, of(gate))).toMatchObject({ status: 202, text: '' });
    expect(await check(gate)).toBe('200 Approved');
    expect(await check('another')).toBe('403 Forbidden');
    expect(await check(`rollback.${gate}`)).toBe('403 Forbidden');
    expect(await tester.post(`/${gate}/close`, of(gate))).toMatchObject({ status: 202, text: '' });
    expect(await check(gate)).toBe('403 Forbidden');
  });

  it('400 for an invalid payload, by every method; the JSON null is the gate of the empty name', async () => {
    for (const path of ['/', '/gate/check', '/gate/open', '/rollback/close']) {
      expect((await tester.post(path, '')).status).toBe(400);
      expect((await tester.post(path, '{"metadata":{"cmd":5}}')).status).toBe(400);
      expect((await tester.get(path)).status).toBe(400);
    }
    expect(await tester.post('/gate/check', 'null')).toMatchObject({ status: 403, text: 'Forbidden' });
    expect(await tester.post('/gate/open', '{}', { 'content-type': 'image/png' })).toMatchObject({ status: 202 });
    expect(await tester.post('/gate/check', 'null')).toMatchObject({ status: 200, text: 'Approved' });
    const put = await fetch(`${tester.url}/gate/check?x=1`, { method: 'PUT', body: 'null' });
    expect(put.status).toBe(200);
    await tester.post('/gate/close', '{}');
  });

  it('every other path runs tasks; without metadata 400 with a reason', async () => {
    for (const path of ['/', '/launch', '/gate/open/', '/healthz/']) {
      expect(await tester.post(path, payload())).toMatchObject({ status: 400, text: expect.stringContaining('no metadata') });
    }
  });

  it('only Canaries of the namespaces that match as a whole are served', async () => {
    const some = await startTested({ namespaces: ['prod|test-.*'] });
    try {
      for (const [namespace, status] of [
        ['prod', 202],
        ['test-1', 202],
        ['my-prod-2', 403],
        ['production', 403],
        ['', 403],
        ['prod\n', 403],
      ] as const) {
        expect(await some.post('/gate/open', payload(undefined, { namespace })), namespace).toMatchObject({ status });
        expect((await some.post('/', payload({ cmd: `curl ${target.url}` }, { namespace }))).status).toBe(status);
      }
      expect(await some.post('/', '')).toMatchObject({ status: 400 });
      expect((await some.post('/gate/check', payload(undefined, { namespace: 'other' }))).text).toBe('Forbidden');
    } finally {
      await some.stop();
    }
  });
});

describe('tasks', () => {
  it('cmd is accepted with 202 and an empty body, and runs once while it runs', async () => {
    const load = payload({ cmd: `hey -z 1h -q 50 -c 1 ${target.url}/load` }, { name: 'loaded' });
    const first = await tester.post('/', load);
    const second = await tester.post('/', { ...load, phase: 'Promoting' });
    expect(first).toMatchObject({ status: 202, text: '' });
    expect(second).toMatchObject({ status: 202, text: '' });
    expect(first.headers.get('location')).toBe(second.headers.get('location'));
    await eventually(
      'it asks',
      () => target.asked.length,
      (count) => count > 2,
    );
    const report = await tester.get(first.headers.get('location') ?? '');
    expect(JSON.parse(report.text)).toMatchObject({ type: 'cmd', namespace: 'test', name: 'loaded', state: 'running' });
  });

  it('the output of a load that failed is the answer to the next call for this revision', async () => {
    const load = (checksum: string) => payload({ cmd: 'hey -n 2 -c 1 -q 50 http://127.0.0.1:1/' }, { name: 'unreachable', checksum });
    const { headers } = await tester.post('/', load('s1:a'));
    const location = headers.get('location') ?? '';
    await eventually(
      'it has failed',
      async () => JSON.parse((await tester.get(location)).text).state,
      (state) => state === 'failed',
    );
    const next = await tester.post('/', load('s1:a'));
    expect(next).toMatchObject({ status: 422 });
    expect(next.text).toMatch(/^cmd task failed: no request was answered: ECONNREFUSED \(2 times\): [\s\S]*It runs again$/);
    const again = next.headers.get('location') ?? '';
    await eventually(
      'it has failed again',
      async () => JSON.parse((await tester.get(again)).text).state,
      (state) => state === 'failed',
    );
    expect(await tester.post('/', load('s1:b')), 'another revision').toMatchObject({ status: 202 });
  });

  it('bash answers when it has ended, with its output only if `returnCmdOutput` is set', async () => {
    const cmd = `curl -sd 'test' ${target.url}/token | grep token`;
    expect(await tester.post('/', payload({ type: 'bash', cmd }))).toMatchObject({ status: 200, text: '' });
    expect(await tester.post('/', payload({ type: 'bash', cmd, returnCmdOutput: 'true' }))).toMatchObject({
      status: 200,
      text: '{"token":"***"}\n',
    });
    const failed = await tester.post('/', payload({ type: 'bash', cmd: `curl -s ${target.url}/ | grep token` }));
    expect(failed).toMatchObject({
      status: 422,
      text: expect.stringContaining('grep found no such line in what curl was answered: you asked for /'),
    });
    const report = JSON.parse((await tester.get(failed.headers.get('location') ?? '')).text);
    expect(report).toMatchObject({ type: 'bash', state: 'failed', output: 'you asked for /\n' });
  });

  it('if commands are allowed, sh and bash run their command', async () => {
    const bash = (cmd: string) => tester.post('/', payload({ type: 'bash', cmd, returnCmdOutput: '1' }, { namespace: 'trusted' }));
    expect(await bash('echo "$((1 + 1))"; set -o pipefail; true | true')).toMatchObject({ status: 200, text: '2\n' });
    expect(await bash('echo boom >&2; exit 7')).toMatchObject({
      status: 422,
      text: expect.stringContaining('it ended with exit code 7: boom'),
    });
    const { headers } = await tester.post('/', payload({ cmd: 'echo from sh; exit 0' }, { namespace: 'trusted' }));
    const location = headers.get('location') ?? '';
    await eventually(
      'it has ended',
      async () => JSON.parse((await tester.get(location)).text),
      ({ state }) => state === 'succeeded',
    );
  });

  it('helm and kubectl are run by their words', async () => {
    // Neither needs to be here: a program that is missing says so by its name.
    const bare = await startTested({ commandNamespaces: ['trusted'], env: { PATH: folder } });
    try {
      for (const [type, program] of [
        ['helm', 'helm'],
        ['helmv3', 'helm'],
        ['kubectl', 'kubectl'],
      ] as const) {
        const { status, text } = await bare.post('/', payload({ type, cmd: 'version; id' }, { namespace: 'trusted' }));
        expect({ status, text }).toEqual({
          status: 422,
          text: expect.stringContaining(`${program} is not installed beside this load tester`),
        });
      }
    } finally {
      await bare.stop();
    }
  });

  it('a command that cannot run here is answered with a reason, not with a broken connection', async () => {
    expect(await tester.post('/', payload({ type: 'ngrinder', server: 'http://a', clone: '1', pollInterval: '0' }))).toMatchObject({
      status: 422,
    });
    expect(await tester.post('/', payload({ type: 'concord', pollInterval: '-1' }))).toMatchObject({ status: 422 });
    expect(await tester.post('/', payload({ type: 'k6', script: 'x' }))).toMatchObject({
      status: 400,
      text: expect.stringContaining('metadata.type "k6" is none of'),
    });
  });

  it('a blocking task ends with its request', async () => {
    const waiting = payload({ type: 'bash', cmd: `curl -s ${target.url}/never` }, { name: 'waiting' });
    const caller = new AbortController();
    const asked = fetch(`${tester.url}/`, { method: 'POST', body: JSON.stringify(waiting), signal: caller.signal });
    const gone = Promise.allSettled([asked]);
    await eventually('it asks', () => target.asked.some(({ path }) => path === '/never'));
    caller.abort();
    expect(await gone).toMatchObject([{ status: 'rejected' }]);
    await eventually(
      'it was stopped',
      async () => (await tester.get('/metrics')).text,
      (text) => /tasks_total\{type="bash",result="stopped"\} 1$/m.test(text),
    );
    expect(tester.logs()).toContain('"state":"stopped"');
  });
});

it('gates that were opened by hand keep their state after a restart', async () => {
  const stateFile = join(folder, 'gates.json');
  const first = await startTested({ stateFile });
  await first.post('/gate/open', payload());
  await first.post('/rollback/open', payload(undefined, { name: 'other' }));
  await first.stop();
  const second = await startTested({ stateFile });
  try {
    expect(await second.post('/gate/check', payload())).toMatchObject({ status: 200 });
    expect(await second.post('/rollback/check', payload(undefined, { name: 'other' }))).toMatchObject({ status: 200 });
    expect(await second.post('/rollback/check', payload())).toMatchObject({ status: 403 });
  } finally {
    await second.stop();
  }
});

it('more tasks than it takes are answered with 429, and when to come again', async () => {
  const small = await startTested({ tasks: 2, tasksOfCanary: 1 });
  try {
    const load = (name: string) => payload({ cmd: `hey -z 1h -q 1 -c 1 ${target.url}/${name}` }, { name, namespace: name });
    expect((await small.post('/', load('a'))).status).toBe(202);
    expect(await small.post('/', payload({ cmd: `hey -z 1h ${target.url}` }, { name: 'a', namespace: 'a' }))).toMatchObject({
      status: 429,
      text: '1 tasks of this Canary run already',
    });
    expect((await small.post('/', load('b'))).status).toBe(202);
    const refused = await small.post('/', load('c'));
    expect(refused).toMatchObject({ status: 429, text: '2 tasks run already' });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await small.get('/metrics')).text).toContain('loadtester_requests_refused_total{why="busy"} 2');
  } finally {
    await small.stop();
  }
});

it('a stop lets blocking tasks end, answers them, and ends loads', async () => {
  const stopping = await startTested();
  await stopping.post('/', payload({ cmd: `hey -z 1h -q 1 -c 1 ${target.url}/load` }));
  const answer = stopping.post('/', payload({ type: 'bash', cmd: `hey -z 500ms -q 20 -c 1 ${target.url}/wanted` }));
  await eventually('both run', () => new Set(target.asked.map(({ path }) => path)).size === 2);
  await stopping.stop(30_000);
  expect(await answer).toMatchObject({ status: 200 });
  await expect(stopping.get('/healthz')).rejects.toThrow('fetch failed');
  expect(stopping.logs()).toContain('"state":"stopped"');
});

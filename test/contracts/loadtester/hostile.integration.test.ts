import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attemptSignatureOf } from '../../../src/base/signature.ts';
import { handClock } from '../../fakes/clock.ts';
import { withServer } from '../../fakes/test-server.ts';
import { startTarget } from '../../fakes/test-target.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { payload, startTested, type TestedLoadTester } from './start.ts';

const folder = mkdtempSync(join(tmpdir(), 'serin-hostile-'));
const sentinel = join(folder, 'sentinel');
const secretFile = join(folder, 'service-account-token');
let target: Awaited<ReturnType<typeof startTarget>>;
let tester: TestedLoadTester;
/** Everything that a stranger was answered. */
const answers: string[] = [];

beforeAll(async () => {
  writeFileSync(secretFile, 'sa-t0ken-of-the-pod');
  target = await startTarget();
  tester = await startTested({ commandNamespaces: ['trusted'] });
});
beforeEach(() => {
  target.asked.length = 0;
});
afterEach(async () => {
  expect(await tester.get('/healthz'), 'it lives').toMatchObject({ status: 200 });
  expect(existsSync(sentinel), 'nothing was run').toBe(false);
  expect(answers.join('\n')).not.toContain('sa-t0ken-of-the-pod');
});
afterAll(async () => {
  await tester.stop();
  await target.stop();
  rmSync(folder, { recursive: true });
});

/** `URL` is the target, `FILE` what must not be made, `SECRET` what must not be read. */
async function send(metadata: Record<string, unknown>, over: Record<string, unknown> = {}) {
  const filled = JSON.stringify(payload(metadata, over))
    .replaceAll('URL', target.url)
    .replaceAll('FILE', sentinel)
    .replaceAll('SECRET', secretFile);
  const answer = await tester.post('/', filled);
  answers.push(answer.text);
  return answer;
}

describe('a hostile command is refused: nothing is run, and no request is sent', () => {
  it.each([
    ['a second command', 'cmd', 'hey -n 1 -c 1 URL; touch FILE'],
    ['a command after another', 'bash', 'curl -s URL && touch FILE'],
    ['a command instead of another', 'bash', 'curl -sf http://127.0.0.1:1 || touch FILE'],
    ['a command in the background', 'bash', 'touch FILE & curl URL'],
    ['a second line', 'bash', 'curl URL\ntouch FILE'],
    ['a substitution', 'bash', 'curl URL/$(touch FILE)'],
    ['a substitution in quotes', 'bash', 'curl "URL/$(touch FILE)"'],
    ['backticks', 'bash', 'curl "URL/`touch FILE`"'],
    ['a variable', 'bash', 'curl URL/$SERIN_LOADTESTER_TOKEN'],
    ['a pipe into a shell', 'bash', 'curl -s URL | sh'],
    ['a file that is written', 'bash', 'curl -s URL > FILE'],
    ['a file that curl writes', 'bash', 'curl -s -o FILE URL'],
    ['a file that curl writes by its long name', 'bash', 'curl --output FILE URL'],
    ['a cookie jar', 'bash', 'curl -c FILE URL'],
    ['a trace', 'bash', 'curl --trace FILE URL'],
    ['a file that curl sends', 'bash', 'curl -d @SECRET URL'],
    ['a file that curl uploads', 'bash', 'curl -T SECRET URL'],
    ['a file in a form', 'bash', 'curl -F x=@SECRET URL'],
    ['a file of settings', 'bash', 'curl -K SECRET URL'],
    ['a file of headers', 'bash', 'curl -H @SECRET URL'],
    ['a file as an address', 'bash', 'curl file://SECRET'],
    ['a file that hey sends', 'cmd', 'hey -n 1 -c 1 -D SECRET URL'],
    ['a file that grep reads', 'bash', 'curl URL | grep . SECRET'],
    ['another protocol', 'bash', 'curl gopher://127.0.0.1:1/_x'],
    ['a unix socket', 'bash', 'curl --unix-socket /run/docker.sock URL'],
    ['a proxy', 'bash', 'curl -x URL http://other'],
    ['a line end in a header', 'bash', "curl -H 'A: b\r\nHost: other' URL"],
    ['a request inside a request', 'bash', "curl -H 'Transfer-Encoding: chunked' -d '0\r\n\r\nGET /admin HTTP/1.1' URL"],
    ['a length that lies', 'bash', "curl -H 'Content-Length: 3' -d 'GET /admin' URL"],
    ['a line in the method', 'bash', "curl -X 'GET /admin HTTP/1.1\r\nX: ' URL"],
    ['a zero byte', 'bash', 'curl URL\0; touch FILE'],
    ['a shell of another name', 'bash', '/bin/sh -c "touch FILE"'],
    ['a renderer of helm', 'helm', 'template x --post-renderer FILE'],
    ['a credential for kubectl', 'kubectl', 'get secrets -A --token x --server URL'],
    ['a group that explodes', 'bash', "curl URL | grep -E '(a+)+$'"],
  ])('%s', async (_what, type, cmd) => {
    const { status } = await send({ type, cmd });
    expect(status).toBe(422);
    expect(target.asked).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', '../bash', 'bash\0', 'BASH'])('the type %s', async (type) => {
    expect((await send({ type, cmd: 'touch FILE' })).status).toBe(400);
    expect(await tester.post('/', `{"namespace":"test","metadata":{"__proto__":{"type":"bash"},"cmd":"touch ${sentinel}"}}`)).toMatchObject(
      { status: 400 },
    );
  });

  it.each(['../trusted', 'trusted/../test', 'TRUSTED', 'trusted\n', ' trusted', 'trusted.', 'x|trusted', '', '.*'])(
    'the namespace %j is not one where commands are allowed',
    async (namespace) => {
      expect((await send({ type: 'bash', cmd: 'touch FILE' }, { namespace })).status).toBe(422);
    },
  );
});

describe('a hostile address is not reached', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fe80::1]/',
    'http://me@169.254.169.254/',
  ])('%s', async (address) => {
    const { status, text } = await send({ type: 'bash', cmd: `curl -s ${address}` });
    expect(status).toBe(422);
    expect(text).toContain('which tests do not reach');
  });

  it('nor by a redirect', async () => {
    await withServer(
      (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end(),
      async (url) => {
        const { status, text } = await send({ type: 'bash', cmd: `curl -sL ${url}` });
        expect({ status, text }).toEqual({ status: 422, text: expect.stringContaining('which tests do not reach') });
      },
    );
  });

  it('nor its own gates, unless it was started for trials', async () => {
    const strict = await startTested({ allowLocalAddresses: false });
    try {
      for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '127.1']) {
        const cmd = `curl -sd '{"name":"podinfo","namespace":"test"}' http://${host}:${strict.port}/gate/open`;
        expect((await strict.post('/', payload({ type: 'bash', cmd }))).status, host).toBe(422);
      }
      expect((await strict.post('/gate/check', payload())).status).toBe(403);
    } finally {
      await strict.stop();
    }
  });
});

/** The server's answer to these bytes, until it ends the connection. */
function raw(...parts: string[]): Promise<string> {
  return rawTo(tester.port, ...parts);
}

function rawTo(port: number, ...parts: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    // A cut connection also counts as an answer.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') ? resolve(text) : reject(error),
    );
    socket.on('close', () => resolve(text));
    for (const part of parts) socket.write(part);
  });
}

describe('a hostile request', () => {
  const open = JSON.stringify(payload());
  it('of too many bytes is answered with 413, whether it says its length or not', async () => {
    expect((await tester.post('/', `"${'x'.repeat(70_000)}"`)).status).toBe(413);
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(20_000));
      },
    });
    const endless = fetch(`${tester.url}/`, { method: 'POST', body: stream, duplex: 'half' } as RequestInit).then(
      ({ status }) => status,
      () => 'cut',
    );
    expect([413, 'cut']).toContain(await endless);
    expect(await raw('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n')).toMatch(/^HTTP\/1\.1 413/);
  });

  it('that is nested without end is answered with 400', async () => {
    expect((await tester.post('/gate/open', '['.repeat(60_000))).status).toBe(400);
    expect((await tester.post('/gate/open', '{"a":'.repeat(10_000))).status).toBe(400);
  });

  it.each([
    { what: 'two lengths of its body', lines: ['Content-Length: 5', 'Content-Length: 50'] },
    { what: 'a length and chunks', lines: ['Content-Length: 5', 'Transfer-Encoding: chunked'] },
    { what: 'an unknown coding', lines: ['Transfer-Encoding: xchunked'] },
    { what: 'a folded header', lines: ['Transfer-Encoding:', ' chunked'] },
    { what: 'a space before the colon', lines: ['Content-Length : 5'] },
    { what: 'a line end of its own', lines: ['A: b\nContent-Length: 5'] },
  ])('with $what is refused, and no second one is read out of it', async ({ lines }) => {
    const smuggled = `POST /gate/open HTTP/1.1\r\nHost: a\r\nContent-Length: ${open.length}\r\n\r\n${open}`;
    const text = await raw(`POST /gate/check HTTP/1.1\r\nHost: a\r\n${lines.join('\r\n')}\r\n\r\n`, smuggled);
    expect(text).toMatch(/^HTTP\/1\.1 400/);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect((await tester.post('/gate/check', payload())).status).toBe(403);
  });

  it('that never ends its headers or its body is cut', async () => {
    const hasty = await startTested({ headersTimeoutMs: 300, requestTimeoutMs: 600 });
    try {
      expect(await rawTo(hasty.port, 'POST / HTTP/1.1\r\nHost: a\r\n')).toMatch(/^HTTP\/1\.1 408|^$/);
      expect(await rawTo(hasty.port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{')).toMatch(/^HTTP\/1\.1 408|^$/);
    } finally {
      await hasty.stop();
    }
    expect(await raw(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431/);
  });

  it('of another kind gets nowhere', async () => {
    expect(await raw('CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
    expect(await raw('GET /tasks/../../etc/passwd HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/);
    expect((await tester.get('/tasks/%2e%2e%2fetc%2fpasswd')).status).toBe(404);
    expect((await tester.get(`/tasks/${randomUUID()}`)).status).toBe(404);
  });

  it('cannot write lines into the log', async () => {
    await tester.post('/gate/open', payload(undefined, { name: 'x\n{"level":30,"msg":"forged"}' }));
    for (const line of tester.logs().trim().split('\n')) expect(JSON.parse(line).msg).not.toBe('forged');
  });

  it('with an endless pattern does not block others', async () => {
    const slow = send({ type: 'bash', cmd: `curl -s URL/huge | grep '${'x*'.repeat(60)}y'` });
    expect((await slow).status).toBe(422);
  });
});

describe('a hostile caller', () => {
  let guarded: TestedLoadTester;
  const clock = handClock();
  beforeAll(async () => {
    const credentials = { token: 'pl4nted-token', signingKey: 'pl4nted-key', folder };
    writeFileSync(join(folder, 'shop.token'), 'sh0p-token');
    guarded = await startTested({
      clock,
      credentials,
      commandNamespaces: ['test'],
      env: { PATH: process.env.PATH ?? '', SERIN_LOADTESTER_TOKEN: 'pl4nted-token' },
    });
  });
  afterAll(async () => {
    expect(guarded.logs()).not.toContain('pl4nted');
    await guarded.stop();
  });
  const bearer = { authorization: 'Bearer pl4nted-token' };

  function signed(
    path: string,
    body: string,
    { key = 'pl4nted-key', timestamp = String(clock.nowMs() / 1000), id = randomUUID() as string } = {},
  ) {
    const signature = attemptSignatureOf({ timestamp, id, path, body }, key);
    return { 'x-serin-timestamp': timestamp, 'x-serin-request-id': id, 'x-serin-request-signature-256': signature };
  }

  it('a request without credentials, with forged ones, or with credentials of another path, body or time is answered with 401', async () => {
    const body = JSON.stringify(payload());
    const old = String(clock.nowMs() / 1000 - 3600);
    for (const headers of [
      {},
      { authorization: 'Bearer guess' },
      { authorization: 'Basic cGw0bnRlZC10b2tlbg==' },
      { authorization: 'Bearer pl4nted-token, Bearer x' },
      signed('/gate/open', body, { key: 'guess' }),
      signed('/gate/check', body),
      signed('/gate/open', '{}'),
      signed('/gate/open', body, { timestamp: old }),
      { ...signed('/gate/open', body), 'x-serin-timestamp': '99999999999' },
    ]) {
      expect(await guarded.post('/gate/open', body, headers as Record<string, string>), JSON.stringify(headers)).toMatchObject({
        status: 401,
      });
    }
    for (const path of ['/', '/gate/check', '/gate/close', '/rollback/open', '/rollback/check']) {
      expect((await guarded.post(path, body)).status, path).toBe(401);
    }
    expect((await guarded.get(`/tasks/${randomUUID()}`)).status).toBe(401);
    expect((await guarded.post('/gate/check', body, bearer)).status).toBe(403);
    expect((await guarded.get('/healthz')).status).toBe(200);
  });

  it('that repeats a signed call is answered with 401', async () => {
    const body = JSON.stringify(payload());
    const headers = signed('/gate/open', body);
    expect((await guarded.post('/gate/open', body, headers)).status).toBe(202);
    await guarded.post('/gate/close', body, bearer);
    expect(await guarded.post('/gate/open', body, headers)).toMatchObject({ status: 401, text: 'the call has come before' });
    expect((await guarded.post('/gate/check', body, bearer)).status).toBe(403);
  });

  it('speaks for no namespace but its own, and sees no task of another', async () => {
    const shop = { authorization: 'Bearer sh0p-token' };
    expect((await guarded.post('/gate/open', payload(), shop)).status).toBe(403);
    expect((await guarded.post('/gate/open', payload(undefined, { namespace: 'shop' }), shop)).status).toBe(202);
    const { headers } = await guarded.post('/', payload({ type: 'bash', cmd: 'echo done' }), bearer);
    const location = headers.get('location') ?? '';
    expect((await guarded.get(location, bearer)).status).toBe(200);
    expect((await guarded.get(location, shop)).status).toBe(404);
  });

  it('gets none of our credentials out of a command', async () => {
    const cmd = 'env; echo "token pl4nted-token key=pl4nted-key"; cat /proc/self/environ | tr "\\0" "\\n"';
    const { status, text } = await guarded.post('/', payload({ type: 'bash', cmd, returnCmdOutput: 'true' }), bearer);
    expect(status).toBe(200);
    expect(text).toContain('PATH=');
    expect(text).toContain('token ***');
    expect(text).not.toContain('SERIN_LOADTESTER_');
    expect(text).not.toContain('pl4nted');
  });

  it.runIf(process.platform === 'linux')('is held to the limits where he may run commands', async () => {
    const limits = { commandNamespaces: ['test'], processes: { processes: 20, memoryBytes: 200 * 1_048_576, outputBytes: 100_000 } };
    const limited = await startTested(limits);
    const brief = await startTested({ ...limits, timeoutMs: 2_000 });
    const bash = async (cmd: string, tester = limited) => (await tester.post('/', payload({ type: 'bash', cmd }))).text;
    try {
      expect(await bash('yes')).toContain('it wrote more than 98 KiB');
      expect(await bash('for i in $(seq 30); do sleep 100 & done; wait')).toContain('it ran more than 20 processes');
      expect(await bash('trap "" TERM; while :; do sleep 0.2; done', brief)).toContain('it did not end within 2 s');
      expect(await bash('(trap "" TERM HUP; sleep 100) & disown; echo left >&2; false')).toContain('it ended with exit code 1: left');
      await eventually(
        'no process is left',
        async () => (await limited.get('/metrics')).text,
        (text) => text.includes('loadtester_tasks_running{type="bash"} 0'),
      );
    } finally {
      await limited.stop();
      await brief.stop();
    }
  });
});

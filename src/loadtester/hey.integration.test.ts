import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTarget } from '../../test/fakes/test-target.ts';
import { BoundedOutput } from './bounded-output.ts';
import { hey } from './hey.ts';
import { heyOptions } from './hey-options.ts';
import { targetPolicy } from './target-policy.ts';
import { commandLine } from './words.ts';

const words = (text: string): readonly string[] => {
  const line = commandLine(text);
  return 'pipeline' in line ? (line.pipeline[0] ?? []).slice(1) : [];
};
const options = (text: string) => heyOptions(words(text), { timeoutMs: 3_600_000 });

let target: Awaited<ReturnType<typeof startTarget>>;
beforeAll(async () => {
  target = await startTarget();
});
beforeEach(() => {
  target.asked.length = 0;
});
afterAll(() => target.stop());

async function run(text: string, { signal = new AbortController().signal, allowLocal = true } = {}) {
  const read = options(text);
  if ('problem' in read) throw new Error(read.problem);
  const output = new BoundedOutput(65_536);
  const ending = await hey(read, targetPolicy({ allowLocal })).run({ output, signal });
  return { ending, text: output.text() };
}

describe('heyOptions', () => {
  it('reads the commands of the tutorials', () => {
    expect(options(`hey -z 1m -q 10 -c 2 -host app.example.com -H 'X-Canary: insider' http://gateway.ns`)).toMatchObject({
      url: new URL('http://gateway.ns/'),
      durationMs: 60_000,
      rate: 10,
      workers: 2,
      headers: { host: 'app.example.com', 'x-canary': 'insider', 'content-type': 'text/html' },
      timeoutMs: 20_000,
    });
  });

  it('takes the defaults of hey, two dashes, `=`, and a path without scheme', () => {
    expect(options('hey --n=20 -c=4 -disable-redirects -disable-keepalive=false podinfo.test:9898/x')).toMatchObject({
      url: new URL('http://podinfo.test:9898/x'),
      requests: 20,
      workers: 4,
      rate: 0,
      durationMs: undefined,
      followRedirects: false,
      keepAlive: true,
    });
  });

  it('keeps secrets apart', () => {
    const read = options(`hey -a me:s3cret -H 'Cookie: id=c00kie' -H 'X-Api-Key: k3y' http://you:p4ss@a/`);
    const secrets = 'secrets' in read ? read.secrets : [];
    expect(secrets).toEqual(expect.arrayContaining(['s3cret', 'id=c00kie', 'k3y', 'p4ss']));
  });

  it.each([
    ['hey', 'hey: it names no address'],
    ['hey -z 1m', 'hey: it names no address'],
    ['hey -z soon http://a', 'hey -z must be a duration: write it like 1m or 30s'],
    ['hey -z 2h http://a', 'hey -z is longer than the limit of a task (--timeout 3600s)'],
    ['hey -n 1 http://a', 'hey -n cannot be less than -c'],
    ['hey -c 0 http://a', 'hey -c must be a valid number'],
    ['hey -c 501 -z 1s http://a', 'hey -c is at most 500 here'],
    ['hey -q -1 http://a', 'hey -q must be a valid number'],
    ['hey -q NaN http://a', 'hey -q must be a valid number'],
    ['hey -D /etc/passwd http://a', 'hey -D reads a file of the load tester: give the body with -d'],
    ['hey -o csv http://a', 'hey -o prints every request: here there is a summary only'],
    ['hey -x proxy:80 http://a', 'hey -x goes through a proxy, which is not done here'],
    ['hey -h2 https://a', 'hey -h2 over https is not done here: leave -h2 out'],
    ['hey -frob http://a', 'hey: its option -frob is unknown here'],
    ['hey -constructor http://a', 'hey: its option -constructor is unknown here'],
    ['hey -z', 'hey: its option -z lacks a value'],
    ['hey file:///etc/passwd', 'hey: its address is not of http or https'],
    ['hey -m BREW http://a', 'hey -m must be an HTTP method'],
    ["hey -H 'Transfer-Encoding: chunked' http://a", 'hey: the header Transfer-Encoding must not be set by a test'],
    ["hey -H 'nonsense' http://a", 'hey: a header is not written like Name: value'],
    ["hey -host 'a\nX-Evil: 1' http://a", 'hey: the header Host cannot be sent'],
    ["hey -T 'a\nX-Evil: 1' http://a", 'hey: the header content-type cannot be sent'],
  ])('%s is refused: %s', (text, problem) => {
    expect(options(text)).toEqual({ problem });
  });
});

describe('hey', () => {
  it('makes the requests that -n says, with method, headers and body', async () => {
    const { ending, text } = await run(`hey -n 6 -c 3 -m post -d 'hello' -T text/plain -host app.example.com -a me:pw ${target.url}/x`);
    expect(ending).toEqual({ ok: true });
    expect(target.asked).toHaveLength(6);
    expect(target.asked[0]).toMatchObject({
      method: 'POST',
      path: '/x',
      body: 'hello',
      headers: { host: 'app.example.com', 'content-type': 'text/plain', authorization: `Basic ${Buffer.from('me:pw').toString('base64')}` },
    });
    expect(text).toContain('requests answered: 6');
    expect(text).toContain('status codes: 200 (6)');
  });

  it('keeps to the rate and the duration, and the server’s errors are not its own', async () => {
    const { ending, text } = await run(`hey -z 400ms -q 10 -c 2 ${target.url}/status/500`);
    expect(ending).toEqual({ ok: true });
    expect(target.asked.length).toBeGreaterThan(1);
    expect(target.asked.length).toBeLessThanOrEqual(8);
    expect(text).toContain(`status codes: 500 (${target.asked.length})`);
  });

  it('follows redirects, or does not', async () => {
    expect((await run(`hey -n 1 -c 1 ${target.url}/moved`)).text).toContain('200 (1)');
    expect((await run(`hey -n 1 -c 1 -disable-redirects ${target.url}/moved`)).text).toContain('302 (1)');
  });

  it('has failed when nothing answered', async () => {
    const { ending, text } = await run('hey -n 2 -c 2 http://127.0.0.1:1/');
    expect(ending).toEqual({ ok: false, why: 'no request was answered: ECONNREFUSED (2 times)' });
    expect(text).toContain('not answered: ECONNREFUSED (2 times)');
  });

  it('sends no request to an address of the pod, the node or a metadata service, in any notation', async () => {
    const forms = [
      target.url,
      `http://localhost:${target.port}`,
      `http://0x7f.1:${target.port}`,
      'http://[::ffff:127.0.0.1]/',
      'http://0/',
    ];
    for (const address of [
      ...forms,
      'http://169.254.169.254/latest/',
      'http://2852039166/',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
      'http://100.100.100.200/',
      'http://[64:ff9b::a9fe:a9fe]/',
    ]) {
      const { ending } = await run(`hey -n 1 -c 1 ${address}`, { allowLocal: false });
      expect(ending, address).toEqual({ ok: false, why: 'no request was answered: ADDRESS_REFUSED (1 time)' });
    }
    expect(target.asked).toEqual([]);
  });

  it('ends soon when it is aborted, also without answers', async () => {
    const controller = new AbortController();
    const running = run(`hey -z 1h -c 2 -t 0 ${target.url}/never`, { signal: controller.signal });
    const ended = expect(running).rejects.toThrow('enough');
    while (target.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('enough'));
    await ended;
  });
});

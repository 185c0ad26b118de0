import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTarget } from '../../test/fakes/test-target.ts';
import { BoundedOutput } from './bounded-output.ts';
import { FilterWork, FilterWorkExceeded } from './filter-work.ts';
import { grep } from './grep.ts';
import { nativeCommand } from './native-command.ts';
import { targetPolicy } from './target-policy.ts';

let target: Awaited<ReturnType<typeof startTarget>>;
beforeAll(async () => {
  target = await startTarget();
});
beforeEach(() => {
  target.asked.length = 0;
});
afterAll(() => target.stop());

const native = (text: string) => nativeCommand(text, { policy: targetPolicy({ allowLocal: true }), timeoutMs: 60_000 });

/** `URL` is replaced by the target's address. */
async function run(text: string) {
  const program = native(text.replaceAll('URL', target.url));
  if ('problem' in program) throw new Error(program.problem);
  const output = new BoundedOutput(65_536);
  const ending = await program.run({ output, signal: new AbortController().signal });
  return { ending, text: output.text(), secrets: program.secrets };
}

describe('curl', () => {
  it('posts and looks for a line in the answer', async () => {
    expect(await run(`curl -sd 'test' URL/token | grep token`)).toMatchObject({ ending: { ok: true }, text: '{"token":"abc"}\n' });
    expect(target.asked).toMatchObject([
      { method: 'POST', path: '/token', body: 'test', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ]);
  });

  it('has failed when no line matches, and shows the answer', async () => {
    const { ending, text } = await run(`curl -sd 'test' URL/status/500 | grep token`);
    expect(ending).toEqual({ ok: false, why: 'grep found no such line in what curl was answered' });
    expect(text).toContain('you asked for /status/500');
  });

  it.each([
    { text: 'curl -s URL/status/404', ending: { ok: true } },
    { text: 'curl -sf URL/status/404', ending: { ok: false, why: 'curl ended with exit code 22' } },
    { text: 'curl -s --fail-with-body URL/status/503', ending: { ok: false, why: 'curl ended with exit code 22' } },
    { text: 'curl -s http://127.0.0.1:1/', ending: { ok: false, why: 'curl ended with exit code 7' } },
    { text: 'curl -s http://no-such-host.invalid/', ending: { ok: false, why: 'curl ended with exit code 6' } },
    { text: 'curl -s -m 0.1 URL/never', ending: { ok: false, why: 'curl ended with exit code 28' } },
    { text: 'curl -s http://127.0.0.1:1/ | grep x', ending: { ok: false, why: 'curl ended with exit code 7' } },
    { text: `curl -s -o /dev/null -w '%{http_code}' URL/status/204 | grep -q 204`, ending: { ok: true } },
    { text: 'curl -s URL/a URL/b | grep -c asked', ending: { ok: true } },
    { text: 'curl -s URL/token | grep -v token', ending: { ok: false, why: 'grep found no such line in what curl was answered' } },
    { text: 'curl -sL URL/moved | grep -iE "TOKEN|none"', ending: { ok: true } },
    { text: 'curl -s URL/moved | grep token', ending: { ok: false, why: 'grep found no such line in what curl was answered' } },
    { text: 'curl -sI URL/ | grep -i "^content-type\\|^date"', ending: { ok: true } },
    { text: 'curl -s --retry 1 --retry-delay 0 -f URL/status/503', ending: { ok: false, why: 'curl ended with exit code 22' } },
  ])('$text: $ending', async ({ text, ending }) => {
    expect((await run(text)).ending).toEqual(ending);
  });

  it('sends headers, accounts, cookies and a query as given', async () => {
    const { secrets } = await run(
      `curl -sH 'x-user: insider' -H 'Host: app.example.com' -u me:s3cret -b 'a=b1' -A tester -G -d q=1 --data-urlencode 'r=a b' -XPUT URL/x?p=0`,
    );
    expect(target.asked[0]).toMatchObject({
      method: 'PUT',
      path: '/x?p=0&q=1&r=a%20b',
      body: '',
      headers: { 'x-user': 'insider', host: 'app.example.com', cookie: 'a=b1', 'user-agent': 'tester' },
    });
    expect(target.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:s3cret').toString('base64')}`);
    expect(secrets).toEqual(expect.arrayContaining(['s3cret', 'a=b1']));
    await run(`curl --json '{"a":1}' -H 'Accept:' -H 'X-Empty;' URL/y`);
    expect(target.asked[1]).toMatchObject({
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'x-empty': '' },
    });
    expect(target.asked[1]?.headers).not.toHaveProperty('accept');
  });

  it('keeps no more than a part of a huge answer, and says so', async () => {
    const { ending, text } = await run('curl -s URL/huge');
    expect(ending).toEqual({ ok: true });
    expect(text).toContain('bytes before this are left out');
    const found = await run('curl -s URL/huge | grep -q y');
    expect(found.text).toContain('only the first 262144 bytes of the answer were kept');
  });
});

it('I15: --write-out prints no more than the kept part of a response, even if a server sends a long content type', async () => {
  const { ending, text } = await run(`curl -s -o /dev/null -w '${'%{content_type}'.repeat(3_000)}' URL/long-type`);
  expect(ending).toEqual({ ok: true });
  expect(text.length).toBeLessThan(70_000);
  expect(text).toMatch(/^\[19\d{4} bytes before this are left out\]/);
});

describe('filters', () => {
  const filterOf = (...words: string[]) => {
    const filter = grep(words);
    if ('problem' in filter) throw new Error(filter.problem);
    return filter;
  };

  it('I15: are counted in steps, each piece of a pattern on each character, over all filters of a task', async () => {
    const work = new FilterWork(new AbortController().signal);
    const text = 'abc\n'.repeat(1_000);
    await filterOf('x').filter(text, work);
    const once = work.spent;
    expect(once).toBeGreaterThanOrEqual(3_000);
    await filterOf('xyz').filter(text, work);
    expect(work.spent - once).toBeGreaterThan(once + 5_000);
    const plain = work.spent;
    await filterOf('[abcdefghij]').filter(text, work);
    expect(work.spent - plain).toBeGreaterThan(10 * 3_000);
  });

  it('I15: let others have their turn, and end with their task', async () => {
    const stop = new AbortController();
    const filtering = filterOf('x'.repeat(100)).filter('abc\n'.repeat(20_000), new FilterWork(stop.signal));
    setImmediate(() => stop.abort(new Error('stopped')));
    await expect(filtering).rejects.toThrow('stopped');
  });

  it("I15: that exceed a task's limit are stopped, and the task names the remedy", async () => {
    const work = new FilterWork(new AbortController().signal, 1_000);
    await expect(filterOf('x').filter('a'.repeat(1_000), work)).rejects.toThrow(FilterWorkExceeded);
    const { ending } = await run(`curl -s URL/huge${` | grep -v ${'y'.repeat(100)}`.repeat(3)}`);
    expect(ending).toEqual({ ok: false, why: 'its filters take more than 10 million steps: shorten a pattern, or what curl requests' });
  });

  it('I15: a pattern counts every character of its brackets', () => {
    expect(grep([`[${'ab'.repeat(64)}]`])).not.toHaveProperty('problem');
    expect(grep([`[${'ab'.repeat(65)}]`])).toEqual({ problem: 'grep: its pattern is longer than 128 characters, which is not read here' });
  });
});

describe('nativeCommand', () => {
  it.each([
    ['curl -d @/var/run/secrets/token http://a', 'curl: --data reads a file of the load tester: write the text itself'],
    ['curl -d@/etc/passwd http://a', 'curl: --data reads a file of the load tester: write the text itself'],
    ['curl --data-urlencode x@/etc/passwd http://a', 'curl: --data-urlencode reads a file of the load tester: write the text itself'],
    ['curl -H @/etc/passwd http://a', 'curl: --header reads a file of the load tester: write the text itself'],
    ['curl -b /etc/passwd http://a', 'curl: --cookie reads a file of the load tester: write name=value'],
    ['curl -o /tmp/x http://a', 'curl: --output writes a file of the load tester: only /dev/null is possible'],
    ['curl -T /etc/passwd http://a', 'curl: its option -T is unknown here'],
    ['curl -K /etc/passwd', 'curl: its option -K is unknown here'],
    ['curl --s http://a', 'curl: its option --s is unknown here'],
    ['curl --proxy x http://a', 'curl: its option --proxy is unknown here'],
    [
      'curl -w %{local_ip} http://a',
      'curl: --write-out knows %{http_code}, %{response_code}, %{size_download}, %{time_total}, %{content_type} here',
    ],
    ['curl -m x http://a', 'curl: --max-time must be a valid number'],
    ["curl -X 'GET / HTTP/1.1' http://a", 'curl: --request must be an HTTP method'],
    ['curl -X CONNECT http://a', 'curl: --request CONNECT is not supported'],
    ["curl -H 'a: b\nc: d' http://a", 'curl: the header a cannot be sent'],
    ["curl -H 'Content-Length: 5' http://a", 'curl: the header Content-Length must not be set by a test'],
    ['curl', 'curl: it names no address'],
    ['curl -d', 'curl: its option -d lacks a value'],
    ['curl file:///etc/passwd', 'curl: its address is not of http or https'],
    ['curl gopher://a', 'curl: its address is not of http or https'],
    [`curl ${'http://a '.repeat(11)}`, 'curl: it names more than 10 addresses'],
    ['curl http://a | sh', 'what curl prints goes into grep here, and into no other command'],
    ['curl http://a | grep -f /etc/passwd', 'grep: its option -f is unknown here'],
    ['curl http://a | grep x /etc/passwd', 'grep: it reads only what curl prints, no file'],
    ['curl http://a | grep', 'grep: it names no pattern'],
    ['curl http://a | grep "(a*)*b" -E', 'grep: its pattern has groups or counts, which is not read here'],
    ['hey http://a | grep 200', 'hey into another command cannot run here'],
    ['grpc_health_probe -addr=podinfo:9898', 'grpc_health_probe cannot run here'],
    ['sleep 60', 'sleep cannot run here'],
    ['TOKEN=abc123secret curl http://a', 'this form of command cannot run here'],
    ['curl http://a; sh', 'the command has `;`, which only a shell reads'],
  ])('%s is refused: %s', (text, problem) => {
    expect(native(text)).toEqual({ problem });
  });

  it('the first word is shown only when it looks like the name of a program', () => {
    expect(native(`${'x'.repeat(50)} y`)).toEqual({ problem: 'this form of command cannot run here' });
  });
});

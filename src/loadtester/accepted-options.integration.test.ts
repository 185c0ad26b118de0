import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tlsText } from '../../test/fakes/tls-kube-server.ts';
import { BoundedOutput } from './bounded-output.ts';
import { VALUED, VALUELESS_OPTIONS } from './curl-words.ts';
import { LETTERS } from './grep.ts';
import { TAKES_VALUE } from './hey-options.ts';
import { nativeCommand } from './native-command.ts';
import { targetPolicy } from './target-policy.ts';

interface Asked {
  line: string;
  headers: Record<string, unknown>;
  body: string;
  /** Remote port of the connection. */
  port: number;
}
const asked: Asked[] = [];
const server = createServer(async (request, response) => {
  const { method = '', url = '', headers, socket } = request;
  asked.push({ line: `${method} ${url} ${request.httpVersion}`, headers, body: await text(request), port: socket.remotePort ?? 0 });
  const status = Number(/\d{3}/.exec(url)?.[0] ?? 200);
  if (url === '/never') return;
  if (url === '/moved') return void response.writeHead(302, { location: '/moved' }).end();
  const packed = headers['accept-encoding'] === 'gzip' && url === '/packed';
  const body = `${url} a.b\nA.B\n`;
  response.writeHead(status, packed ? { 'content-encoding': 'gzip' } : {}).end(packed ? gzipSync(body) : body);
});
const secure = createSecureServer({ key: tlsText('server.key'), cert: tlsText('server.crt') }, (_, response) => void response.end());
let URL = '';
let SECURE = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  SECURE = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void asked.splice(0));
afterAll(() => {
  secure.close();
  secure.closeAllConnections();
  server.close();
  server.closeAllConnections();
});

/** Families that names were looked up for. `silent.test` is never found. */
const families: unknown[] = [];
async function run(command: string) {
  const policy = {
    ...targetPolicy({ allowLocal: true }),
    lookup: ((host: string, options: { family?: unknown }, done: (error: null, found: unknown) => void) => {
      families.push(options.family);
      if (host !== 'silent.test') done(null, [{ address: '127.0.0.1', family: 4 }]);
    }) as ReturnType<typeof targetPolicy>['lookup'],
  };
  const program = nativeCommand(command.replaceAll('URL', URL).replaceAll('SECURE', SECURE), { policy, timeoutMs: 60_000 });
  if ('problem' in program) return { problem: program.problem, exit: '', shown: '', asked: [], families: [] };
  asked.splice(0);
  families.splice(0);
  const output = new BoundedOutput(65_536);
  const ending = await program.run({ output, signal: new AbortController().signal });
  return { problem: '', exit: ending.ok ? 'ok' : ending.why, shown: output.text(), asked: [...asked], families: [...families] };
}
type Ran = Awaited<ReturnType<typeof run>>;

/** Compares a run without an option and a run with it; `sees` reads the compared part of a run. */
type Effect = readonly [without: string, withIt: string, sees: (ran: Ran) => unknown];
const header = (name: string) => (ran: Ran) => ran.asked[0]?.headers[name];
const body = (ran: Ran) => ran.asked[0]?.body;
const line = (ran: Ran) => ran.asked[0]?.line;
const exit = (ran: Ran) => ran.exit;
const shown = (ran: Ran) => ran.shown;
const requests = (ran: Ran) => ran.asked.length;
const port = (ran: Ran) => new Set(ran.asked.map((one) => one.port)).size;

/** Effects of options. A text is the reason for which the command does the same without it, in both programs. */
const effectsOfCurl: Readonly<Record<string, Effect | string>> = {
  data: ['curl URL', 'curl -d x=1 URL', body],
  'data-ascii': ['curl URL', 'curl --data-ascii x=1 URL', body],
  'data-raw': ['curl URL', 'curl --data-raw @x URL', body],
  'data-binary': ['curl URL', 'curl --data-binary x URL', body],
  'data-urlencode': ['curl URL', "curl --data-urlencode 'x=a b' URL", body],
  json: ['curl URL', 'curl --json {} URL', header('content-type')],
  header: ['curl URL', 'curl -H x-a:b URL', header('x-a')],
  request: ['curl URL', 'curl -X PUT URL', line],
  output: ['curl URL/a', 'curl -o /dev/null URL/a', shown],
  'write-out': ['curl URL', 'curl -w %{http_code} URL', shown],
  'max-time': ['curl URL/a', 'curl -m 0.05 URL/never', exit],
  'connect-timeout': ['curl URL/a', 'curl --connect-timeout 0.05 http://silent.test/', exit],
  user: ['curl URL', 'curl -u me:x URL', header('authorization')],
  'user-agent': ['curl URL', 'curl -A me URL', header('user-agent')],
  referer: ['curl URL', 'curl -e http://a.test URL', header('referer')],
  cookie: ['curl URL', 'curl -b a=b URL', header('cookie')],
  url: ['curl URL/a', 'curl URL/a --url URL/b', requests],
  retry: ['curl URL/503', 'curl --retry 1 --retry-delay 0 URL/503', requests],
  'retry-delay': [
    'curl --retry 1 --retry-max-time 60 --retry-delay 0 URL/503',
    'curl --retry 1 --retry-max-time 60 --retry-delay 900 URL/503',
    requests,
  ],
  'retry-max-time': ['curl --retry 1 --retry-delay 0 URL/503', 'curl --retry 1 --retry-delay 900 --retry-max-time 60 URL/503', requests],
  'max-redirs': ['curl -L --max-redirs 3 URL/moved', 'curl -L --max-redirs 1 URL/moved', requests],
  silent: 'no progress is printed',
  'show-error': 'errors are always printed: the task has no one else who sees them',
  fail: ['curl URL/404', 'curl -f URL/404', exit],
  'fail-with-body': ['curl URL/404', 'curl --fail-with-body URL/404', exit],
  insecure: ['curl SECURE', 'curl -k SECURE', exit],
  location: ['curl URL/moved', 'curl -L --max-redirs 1 URL/moved', requests],
  include: ['curl URL', 'curl -i URL', shown],
  head: ['curl URL', 'curl -I URL', line],
  get: ['curl -d a=b URL', 'curl -G -d a=b URL', line],
  verbose: ['curl URL', 'curl -v URL', shown],
  'no-buffer': 'the output is read when the task has ended',
  compressed: ['curl URL/packed', 'curl --compressed URL/packed', header('accept-encoding')],
  'http1.1': 'no other version is spoken',
  'no-progress-meter': 'no progress is printed',
  'retry-connrefused': [
    'curl --retry 3 --retry-delay 0 http://a.test:1',
    'curl --retry 3 --retry-delay 0 --retry-connrefused http://a.test:1',
    ({ families: { length } }) => length,
  ],
  'retry-all-errors': [
    'curl -f --retry 1 --retry-delay 0 URL/404',
    'curl -f --retry 1 --retry-delay 0 --retry-all-errors URL/404',
    requests,
  ],
  ipv4: ['curl -6 http://a.test:1', 'curl -4 http://a.test:1', ({ families: [family] }) => family],
  ipv6: ['curl http://a.test:1', 'curl -6 http://a.test:1', ({ families: [family] }) => family],
  globoff: ['curl URL/[1-2]', 'curl -g URL/[1-2]', ({ problem }) => problem],
  'tlsv1.2': 'no older version is spoken',
};

const effectsOfHey: Readonly<Record<string, Effect | string>> = {
  n: ['hey -n 1 -c 1 URL', 'hey -n 3 -c 1 URL', requests],
  c: ['hey -n 2 -c 1 URL', 'hey -n 2 -c 2 URL', port],
  q: ['hey -z 1s -c 1 URL', 'hey -z 1s -c 1 -q 0.001 URL', (ran) => ran.asked.length > 1],
  z: ['hey -n 2 -c 1 URL', 'hey -z 1ns -n 2 -c 1 URL', requests],
  m: ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -m PUT URL', line],
  H: ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -H x-a:b URL', header('x-a')],
  t: ['hey -n 1 -c 1 URL/a', 'hey -n 1 -c 1 -t 1 URL/never', exit],
  A: ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -A text/plain URL', header('accept')],
  d: ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -d x URL', body],
  T: ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -T a/b URL', header('content-type')],
  U: ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -U me URL', header('user-agent')],
  a: ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -a me:x URL', header('authorization')],
  host: ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -host a.test URL', header('host')],
  h2: ['hey -n 1 -c 1 http://a.test', 'hey -n 1 -c 1 -h2 https://a.test', ({ problem }) => problem],
  'disable-compression': ['hey -n 1 -c 1 URL', 'hey -n 1 -c 1 -disable-compression URL', header('accept-encoding')],
  'disable-keepalive': ['hey -n 2 -c 1 URL', 'hey -n 2 -c 1 -disable-keepalive URL', port],
  'disable-redirects': ['hey -n 1 -c 1 URL/moved', 'hey -n 1 -c 1 -disable-redirects URL/moved', requests],
  ...Object.fromEntries(
    ['o', 'D', 'x', 'h', 'cpus'].map((name) => [
      name,
      ['hey -n 1 -c 1 URL', `hey -${name} 1 -n 1 -c 1 URL`, ({ problem }: Ran) => problem],
    ]),
  ),
};

const effectsOfGrep: Readonly<Record<string, Effect | string>> = {
  i: ['curl URL | grep a.b', 'curl URL | grep -i a.b', shown],
  q: ['hey -z 1s -c 1 URL', 'hey -z 1s -c 1 -q 0.001 URL', (ran) => ran.asked.length > 1],
  v: ['curl URL | grep a', 'curl URL | grep -v a', shown],
  c: ['curl URL | grep a', 'curl URL | grep -c a', shown],
  x: ['curl URL | grep A', 'curl URL | grep -x A', exit],
  F: ['curl URL | grep A..', 'curl URL | grep -F A..', exit],
  E: ['curl URL | grep "A|x"', 'curl URL | grep -E "A|x"', exit],
  G: 'it is the default',
  s: 'no file is read that could be absent',
  a: 'everything is text',
};

describe.each([
  ['curl', effectsOfCurl, [...Object.values(VALUED), ...Object.values(VALUELESS_OPTIONS)], (name: string) => `curl --${name} URL/a`],
  ['hey', effectsOfHey, Object.keys(TAKES_VALUE), (name: string) => `hey -n 1 -c 1 -${name} URL/a`],
  ['grep', effectsOfGrep, [...LETTERS], (letter: string) => `curl URL/a | grep -${letter} a`],
] as const)('options of %s', (_, effects, accepted, alone) => {
  it('each that is accepted is in the table', () => expect(Object.keys(effects).toSorted()).toEqual([...new Set(accepted)].toSorted()));

  const [real, idle] = [
    Object.entries(effects).flatMap(([name, effect]) => (typeof effect === 'string' ? [] : [[name, effect] as const])),
    Object.entries(effects).flatMap(([name, effect]) => (typeof effect === 'string' ? [[name, effect] as const] : [])),
  ];
  it.each(real)('%s has an effect, or is refused', async (_name, [without, withIt, sees]) => {
    const [plain, other] = [await run(without), await run(withIt)];
    expect(sees(other)).not.toEqual(sees(plain));
  });

  it.each(idle)('%s changes nothing: %s', async (name) => {
    const ran = await run(alone(name));
    expect([ran.problem, ran.exit, ran.shown]).toEqual(['', 'ok', expect.stringContaining('/a a.b')]);
  });
});

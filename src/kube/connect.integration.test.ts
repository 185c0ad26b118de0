import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { handClock } from '../../test/fakes/clock.ts';
import { type Caller, startTlsKubeServer, type TlsKubeServer, tlsData, tlsFile } from '../../test/fakes/tls-kube-server.ts';
import { type Connection, type ConnectOptions, connectionTo, loadConnection } from './connect.ts';
import { createCluster } from './create-cluster.ts';

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };
const SECRET = 'sEcReT-token-1';
const NOWHERE = '/nonexistent/kubeconfig';

let folder: string;
let servers: { stop(): Promise<unknown> }[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-connect-'));
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
function write(name: string, text: string): string {
  writeFileSync(at(name), text);
  return at(name);
}

async function serve(admits?: (caller: Caller) => boolean | 'forbidden', certificate?: string): Promise<TlsKubeServer> {
  const server = await startTlsKubeServer(admits, certificate);
  servers.push(server);
  return server;
}

/** A kubeconfig of one context, `it`. */
const kubeconfigOf = (server: string, user: object, cluster: object = { 'certificate-authority-data': tlsData('ca.crt') }): string =>
  stringify({
    'current-context': 'it',
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'it', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
  });

/** No deadline passes while a plugin starts, which is a process, or a machine is busy. */
const patient = (connection: Connection) => createCluster(connection, { clock: handClock() });

/** The version of the list, or the message of the failure, which never holds the secret. */
async function listed(options: ConnectOptions): Promise<string> {
  try {
    const cluster = patient(await loadConnection({ homeFile: NOWHERE, serviceAccountFolder: folder, ...options }));
    try {
      return (await cluster.list(configMaps)).resourceVersion;
    } finally {
      cluster.close();
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    expect(message).not.toContain(SECRET);
    expect(message).not.toContain('PRIVATE KEY');
    expect(message.split('\n'), 'one line').toHaveLength(1);
    return message;
  }
}

const bySerin = ({ commonName }: Caller): boolean => commonName === 'serin';
const bySecret = ({ authorization }: Caller): boolean => authorization === `Bearer ${SECRET}`;

describe('a kubeconfig', () => {
  it('with certificates inside it is admitted', async () => {
    const { url } = await serve(bySerin);
    const user = { 'client-certificate-data': tlsData('client.crt'), 'client-key-data': tlsData('client.key') };
    expect(await listed({ kubeconfig: kubeconfigOf(url, user) })).toBe('7');
  });

  it('with certificates in files beside it is admitted, wherever the program was started', async () => {
    const { url } = await serve(bySerin);
    for (const name of ['client.crt', 'client.key', 'ca.crt']) copyFileSync(tlsFile(name), at(name));
    const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
    expect(await listed({ kubeconfig: write('config', kubeconfigOf(url, user, { 'certificate-authority': 'ca.crt' })) })).toBe('7');
  });

  it('whose certificate files are renewed is admitted with the new ones, without a restart', async () => {
    const { url, callers } = await serve(bySerin);
    const renew = (name: string) => {
      for (const kind of ['crt', 'key']) copyFileSync(tlsFile(`${name}.${kind}`), at(`mine.${kind}`));
    };
    renew('client');
    const user = { 'client-certificate': at('mine.crt'), 'client-key': at('mine.key') };
    const cluster = patient(await loadConnection({ kubeconfig: kubeconfigOf(url, user) }));
    await cluster.list(configMaps);
    renew('renewed-client');
    await cluster.list(configMaps);
    cluster.close();
    expect(new Set(callers.map(({ serial }) => serial)).size).toBe(2);
  });

  it('with a token, or with a user and a password, is admitted', async () => {
    const { url } = await serve(bySecret);
    expect(await listed({ kubeconfig: kubeconfigOf(url, { token: SECRET }) })).toBe('7');
    const basic = await serve(({ authorization }) => authorization === `Basic ${Buffer.from(`u:${SECRET}`).toString('base64')}`);
    expect(await listed({ kubeconfig: kubeconfigOf(basic.url, { username: 'u', password: SECRET }) })).toBe('7');
  });

  it('with a token file reads the token for each request', async () => {
    const { url } = await serve(bySecret);
    const tokenFile = write('token', 'old\n');
    const cluster = patient(await loadConnection({ kubeconfig: kubeconfigOf(url, { tokenFile }) }));
    await expect(cluster.list(configMaps)).rejects.toThrow('401 Unauthorized');
    writeFileSync(tokenFile, `${SECRET}\n`);
    expect((await cluster.list(configMaps)).resourceVersion).toBe('7');
    cluster.close();
  });

  it('of several contexts is read as the requested context, else the current one', async () => {
    const { url } = await serve(bySecret);
    const two = stringify({
      'current-context': 'right',
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': tlsData('ca.crt') } }],
      users: [
        { name: 'right', user: { token: SECRET } },
        { name: 'wrong', user: { token: 'wrong' } },
      ],
      contexts: ['right', 'wrong'].map((name) => ({ name, context: { cluster: 'c', user: name, namespace: `of-${name}` } })),
    });
    expect(await listed({ kubeconfig: two })).toBe('7');
    expect(await listed({ kubeconfig: two, context: 'wrong' })).toContain('401 Unauthorized');
    expect((await loadConnection({ kubeconfig: two, context: 'wrong' })).namespace).toBe('of-wrong');
    expect(await listed({ kubeconfig: two, context: 'third' })).toContain('no context named third (contexts: right, wrong)');
  });

  it('of several files is merged as kubectl does: the first entry of a name wins, absent files are passed over', async () => {
    const { url } = await serve(bySecret);
    const first = write('first', kubeconfigOf(url, { token: SECRET }));
    const second = write('second', kubeconfigOf('https://127.0.0.1:1', { token: 'wrong' }));
    expect(await listed({ kubeconfig: `${at('absent')}:${first}:${second}` })).toBe('7');
    expect(await listed({ kubeconfig: `${at('absent')}:${at('gone')}` })).toContain('none of these files exists');
  });

  it('of a context without a user still verifies the server', async () => {
    const { url } = await serve();
    const config = JSON.stringify({
      'current-context': 'it',
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': tlsData('ca.crt') } }],
      contexts: [{ name: 'it', context: { cluster: 'c' } }],
    });
    expect(await listed({ kubeconfig: config })).toBe('7');
  });

  it('gives server, namespace and token', async () => {
    const connection = await loadConnection({ kubeconfig: kubeconfigOf('http://127.0.0.1:1/', { token: 'abc' }, {}) });
    expect([connection.baseUrl, connection.namespace]).toEqual(['http://127.0.0.1:1', 'shop']);
    expect(await connection.headers()).toMatchObject({ Authorization: 'Bearer abc' });
  });

  it('is used with another server by --master, which is enough by itself', async () => {
    const { url } = await serve(bySecret);
    expect(await listed({ kubeconfig: kubeconfigOf('https://127.0.0.1:1', { token: SECRET }), master: url })).toBe('7');
    expect((await loadConnection({ master: 'http://127.0.0.1:2/', homeFile: NOWHERE, serviceAccountFolder: folder })).baseUrl).toBe(
      'http://127.0.0.1:2',
    );
  });
});

describe('an unusable kubeconfig is named, with a remedy', () => {
  const good = kubeconfigOf('https://127.0.0.1:1', {});
  const context = (change: object) => JSON.stringify({ 'current-context': 'it', ...change });
  const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };

  it.each<[string, () => ConnectOptions, string]>([
    ['no file', () => ({ kubeconfig: at('absent') }), 'absent does not exist: correct --kubeconfig or KUBECONFIG'],
    ['a folder', () => ({ kubeconfig: folder }), 'is a folder: give the kubeconfig file in it'],
    ['nothing at all', () => ({}), 'no credentials: /nonexistent/kubeconfig and a service account were not found'],
    ['an empty file', () => ({ kubeconfig: write('config', '') }), 'config is empty'],
    ['no YAML', () => ({ kubeconfig: write('config', `users: [\n  token: ${SECRET}\n x`) }), 'config is not YAML'],
    ['a list', () => ({ kubeconfig: write('config', `- ${SECRET}`) }), 'config is not a kubeconfig'],
    ['bytes', () => ({ kubeconfig: write('config', '\0\x01\x7fELF') }), 'config is not a kubeconfig'],
    ['no current context', () => ({ kubeconfig: context({ 'current-context': '' }) }), 'no current-context is set: set it with'],
    ['a context that is not found', () => ({ kubeconfig: context({}) }), 'no context named it (contexts: none)'],
    [
      'a cluster that is not there',
      () => ({ kubeconfig: context({ contexts: [{ name: 'it', context: { cluster: 'c' } }] }) }),
      'names cluster c, which is not in the file',
    ],
    [
      'a user who is not there',
      () => ({ kubeconfig: context({ clusters: [cluster], contexts: [{ name: 'it', context: { cluster: 'c', user: 'u' } }] }) }),
      'names user u, who is not in the file',
    ],
    ['a server without a scheme', () => ({ kubeconfig: good.replace('https://127', '127') }), 'is not a URL: write it like https://'],
    ['a master without a scheme', () => ({ kubeconfig: good, master: 'localhost:8080' }), 'localhost:8080 is not a URL'],
    [
      'an absent certificate',
      () => ({ kubeconfig: kubeconfigOf('https://127.0.0.1:1', { 'client-certificate': at('gone.crt') }) }),
      'gone.crt',
    ],
    [
      'a broken authority',
      () => ({ kubeconfig: kubeconfigOf('https://127.0.0.1:1', {}, { 'certificate-authority': write('ca', 'not PEM') }) }),
      'correct client-certificate, client-key and certificate-authority',
    ],
    [
      'a key of another certificate',
      () => ({
        kubeconfig: kubeconfigOf('https://127.0.0.1:1', {
          'client-certificate-data': tlsData('client.crt'),
          'client-key-data': tlsData('server.key'),
        }),
      }),
      'its certificates cannot be used',
    ],
    ['an absent token file', () => ({ kubeconfig: kubeconfigOf('https://127.0.0.1:1', { tokenFile: 'gone' }) }), 'gone cannot be read'],
    ['an empty token file', () => ({ kubeconfig: kubeconfigOf('https://127.0.0.1:1', { tokenFile: write('t', '\n') }) }), 'is empty'],
  ])('%s', async (_, options, message) => {
    expect(await listed(options())).toContain(message);
  });
});

describe('a server that rejects us is reported with a remedy', () => {
  it('an unknown certificate authority', async () => {
    const { url } = await serve();
    const other = kubeconfigOf(url, { token: SECRET }, { 'certificate-authority-data': tlsData('other-ca.crt') });
    expect(await listed({ kubeconfig: other })).toContain('correct certificate-authority in the kubeconfig');
    expect(await listed({ kubeconfig: kubeconfigOf(url, { token: SECRET }, {}) })).toContain('correct certificate-authority');
  });

  it('an expired certificate, and one of another name, which tls-server-name allows', async () => {
    const expired = await serve(undefined, 'expired');
    expect(await listed({ kubeconfig: kubeconfigOf(expired.url, {}) })).toContain('renew the server’s certificate');
    const elsewhere = await serve(undefined, 'elsewhere');
    expect(await listed({ kubeconfig: kubeconfigOf(elsewhere.url, {}) })).toContain('set tls-server-name');
    const named = { 'certificate-authority-data': tlsData('ca.crt'), 'tls-server-name': 'elsewhere.example.org' };
    expect(await listed({ kubeconfig: kubeconfigOf(elsewhere.url, {}, named) })).toBe('7');
  });

  it('credentials that are refused (401), and a right that is missing (403)', async () => {
    const { url } = await serve(() => false);
    expect(await listed({ kubeconfig: kubeconfigOf(url, { token: SECRET }) })).toContain('the credentials are not accepted: renew');
    const forbidding = await serve(() => 'forbidden');
    expect(await listed({ kubeconfig: kubeconfigOf(forbidding.url, { token: SECRET }) })).toContain('403 Forbidden: refused: Forbidden');
  });

  it('the port is closed, the name is unknown, or it does not speak TLS', async () => {
    const gone = await startTlsKubeServer();
    await gone.stop();
    expect(await listed({ kubeconfig: kubeconfigOf(gone.url, {}) })).toMatch(/ECONNREFUSED.*correct the server in the kubeconfig/);
    // A name with two addresses fails with an error that says nothing itself.
    expect(await listed({ kubeconfig: kubeconfigOf(`https://localhost:${gone.port}`, {}) })).toMatch(/ECONNREFUSED.*correct the server/);
    expect(await listed({ kubeconfig: kubeconfigOf('https://unknown.invalid', {}) })).toContain('correct the server in the kubeconfig');
    const plain = createServer((_, response) => response.end());
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    servers.push({ stop: () => new Promise((resolve) => plain.close(resolve)) });
    const { port } = plain.address() as AddressInfo;
    expect(await listed({ kubeconfig: kubeconfigOf(`https://127.0.0.1:${port}`, {}) })).toContain('write http:// instead of https://');
  });
});

describe('in a pod', () => {
  it('the service account is used, and its token is read again after it was replaced', async () => {
    const { port } = await serve(bySecret);
    copyFileSync(tlsFile('ca.crt'), at('ca.crt'));
    write('token', 'old');
    write('namespace', 'shop\n');
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) };
    const connection = await loadConnection({ serviceAccountFolder: folder, env, homeFile: NOWHERE });
    expect(connection.namespace).toBe('shop');
    const cluster = patient(connection);
    await expect(cluster.list(configMaps)).rejects.toThrow('401');
    // The kubelet also replaces the old file by the new one.
    renameSync(write('token.new', SECRET), at('token'));
    expect((await cluster.list(configMaps)).resourceVersion).toBe('7');
    cluster.close();
  });

  it('an IPv6 address is written in brackets', async () => {
    write('token', SECRET);
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    expect((await loadConnection({ serviceAccountFolder: folder, env, homeFile: NOWHERE })).baseUrl).toBe('https://[fd00::1]:443');
  });
});

describe('a credential plugin', () => {
  /** A program that counts its runs in a file and prints what the script makes of `count`. */
  function plugin(script: string): object {
    const program = write(
      'plugin.mjs',
      `import { appendFileSync, readFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(at('runs'))}, 'x');
      const count = readFileSync(${JSON.stringify(at('runs'))}, 'utf8').length;
      const print = (status) => console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }));
      ${script}`,
    );
    return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: [program] } };
  }
  const runs = (): number => readFileSync(at('runs'), 'utf8').length;

  it('is run once for all requests at the same time, and again shortly before its token expires', async () => {
    const { url, callers } = await serve();
    const clock = handClock();
    const expires = new Date(clock.nowMs() + 60_000).toISOString();
    const user = plugin(`print({ token: 'token-' + count, expirationTimestamp: count === 1 ? '${expires}' : undefined })`);
    const cluster = patient(await loadConnection({ kubeconfig: kubeconfigOf(url, user), clock }));
    await Promise.all(['a', 'b', 'c'].map((namespace) => cluster.list({ ...configMaps, namespace })));
    expect(runs()).toBe(1);
    clock.advance(56_000);
    await Promise.all(['a', 'b', 'c'].map((namespace) => cluster.list({ ...configMaps, namespace })));
    expect(runs()).toBe(2);
    expect(callers.at(-1)?.authorization).toBe('Bearer token-2');
    cluster.close();
  });

  it('can give a certificate instead, and gets the request', async () => {
    const { url } = await serve(bySerin);
    const user = plugin(`
      const { kind, spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      if (kind !== 'ExecCredential' || spec.interactive !== false) process.exit(3);
      const read = (file) => readFileSync(file, 'utf8');
      print({ clientCertificateData: read(${JSON.stringify(tlsFile('client.crt'))}), clientKeyData: read(${JSON.stringify(tlsFile('client.key'))}) });`);
    expect(await listed({ kubeconfig: kubeconfigOf(url, user) })).toBe('7');
  });

  it('is run again after the server rejected its credential', async () => {
    const { url } = await serve(({ authorization }) => authorization === 'Bearer token-2');
    const cluster = patient(await loadConnection({ kubeconfig: kubeconfigOf(url, plugin(`print({ token: 'token-' + count })`)) }));
    await expect(cluster.list(configMaps)).rejects.toThrow('401');
    expect((await cluster.list(configMaps)).resourceVersion).toBe('7');
    cluster.close();
  });

  it('that hangs costs a request no more than its deadline', async () => {
    const { url } = await serve(() => false);
    const user = plugin(`
      if (count > 1) {
        appendFileSync(${JSON.stringify(at('hanging'))}, String(process.pid));
        setTimeout(() => undefined, 600_000);
      } else print({ token: 't' });`);
    const hanging = (): string => (existsSync(at('hanging')) ? readFileSync(at('hanging'), 'utf8') : '');
    const clock = handClock();
    const cluster = createCluster(await loadConnection({ kubeconfig: kubeconfigOf(url, user) }), { clock, requestTimeoutMs: 200 });
    await expect(cluster.list(configMaps)).rejects.toThrow('401');
    const late = expect(cluster.list(configMaps)).rejects.toThrow('no answer from the API server within 200 ms');
    await expect.poll(hanging).not.toBe('');
    clock.advance(200);
    await late;
    process.kill(Number(hanging()), 'SIGKILL');
    cluster.close();
  });

  it.each([
    [
      'fails',
      `console.error('session is over\\nplease log in'); process.exit(1)`,
      /ended with code 1: session is over please log in: run it/,
    ],
    ['prints a secret that is not JSON', `console.log('${SECRET}')`, /printed no ExecCredential/],
    ['prints no credential', `print({})`, /printed no ExecCredential/],
  ])('that %s is named, with a remedy', async (_, script, message) => {
    expect(await listed({ kubeconfig: kubeconfigOf('https://127.0.0.1:1', plugin(script)) })).toMatch(message);
  });

  it('that is not installed is named, with its own hint', async () => {
    const exec = { command: 'no-such-plugin', installHint: 'Get it from the\nshop.' };
    const message = await listed({ kubeconfig: kubeconfigOf('https://127.0.0.1:1', { exec }) });
    expect(message).toContain('credential plugin no-such-plugin is not installed: Get it from the shop.');
  });
});

it('HTTPS_PROXY is used, and NO_PROXY keeps a server from it', async () => {
  const { url, port } = await serve(bySecret);
  const asked: string[] = [];
  const proxy = createServer().on('connect', (request, client) => {
    asked.push(request.url ?? '');
    // Any requested name leads to the server of this test.
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      socket.on('error', () => socket.destroy());
      servers.push({ stop: async () => socket.destroy() });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  servers.push({ stop: () => new Promise((resolve) => proxy.close(resolve)) });
  const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const far = kubeconfigOf('https://kubernetes.default.svc', { token: SECRET });
  expect(await listed({ kubeconfig: far, env: { HTTPS_PROXY } })).toBe('7');
  expect(asked[0]).toBe('kubernetes.default.svc:443');
  const before = asked.length;
  expect(await listed({ kubeconfig: far, env: { HTTPS_PROXY, NO_PROXY: '.svc' } })).toContain('cannot be reached');
  expect(await listed({ kubeconfig: kubeconfigOf(url, { token: SECRET }), env: { HTTPS_PROXY } }), 'loopback is never proxied').toBe('7');
  expect(asked).toHaveLength(before);
});

it('connects to a plain URL without credentials', async () => {
  const connection = connectionTo('http://127.0.0.1:3/');
  expect([connection.baseUrl, await connection.headers(), connection.tls]).toEqual(['http://127.0.0.1:3', {}, undefined]);
});

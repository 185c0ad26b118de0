import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import { type Clock, systemClock } from '../base/clock.ts';
import { proxyFromEnv } from '../base/proxy-from-env.ts';
import { withoutTrailing } from '../base/text-search.ts';
import type { KubeConfig } from './client-node.ts';
import { credentialPlugin, type PluginCredential } from './exec-credential.ts';
import { KubeconfigError, type KubeconfigOptions, readKubeconfig } from './kubeconfig.ts';

/** Settings to reach one API server as one identity. */
export interface Connection {
  /** Without a trailing slash. Can have a path (a proxied cluster). */
  readonly baseUrl: string;
  /** The current credentials, read before every request, so that rotated tokens are used. */
  headers(): Promise<Record<string, string>>;
  /** Changes (as a new object) when client certificates rotate; read after `headers()`. */
  readonly tls?: TlsIdentity;
  /** Set where the kubeconfig or the environment names a proxy, or where connections are not made by TCP: requests go through it. */
  readonly agent?: Agent;
  /** The server answered 401: the next request gets new credentials if it can. */
  refused?(): void;
  /** The context's namespace, `default` where it has none. */
  readonly namespace: string;
  /** The user's name in the kubeconfig. */
  readonly userName?: string;
  readonly userAgent: string;
}

export interface TlsIdentity {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  rejectUnauthorized?: boolean;
  servername?: string;
}

export interface ConnectOptions extends KubeconfigOptions {
  userAgent?: string;
  clock?: Clock;
}

const defaultUserAgent = 'serin';

/** Plain access without credentials: the embedded cluster over HTTP. */
export function connectionTo(url: string, options: { userAgent?: string } = {}): Connection {
  return {
    baseUrl: withoutTrailing(url, '/'),
    headers: async () => ({}),
    namespace: 'default',
    userAgent: options.userAgent ?? defaultUserAgent,
  };
}

/**
 * Reads the credentials once and proves that they are complete: a file that is missing, a plugin that fails or a key that does not belong
 * to its certificate is reported here and not by the hundredth request. A promise, because client-node is loaded only here and only when it is
 * needed: it is most of the program's start-up time.
 */
export async function loadConnection(options: ConnectOptions = {}): Promise<Connection> {
  const settings = readKubeconfig(options);
  const { from, cluster, user, userName, namespace } = settings;
  const baseUrl = serverUrl(cluster.server, from);
  const proxy = cluster['proxy-url'] || proxyFromEnv(baseUrl, options.env ?? {});
  const plugin = user.exec
    ? credentialPlugin(user.exec, { clock: options.clock ?? systemClock, cluster: { ...cluster, server: baseUrl } })
    : undefined;
  const { KubeConfig } = await import('./client-node.ts');
  const credentials = new Credentials({ settings, baseUrl, proxy, plugin, makeConfig: () => new KubeConfig() });
  await credentials.headers();
  return {
    baseUrl,
    headers: () => credentials.headers(),
    get tls() {
      return credentials.tls as TlsIdentity; // set by the headers() above
    },
    get agent() {
      return credentials.agent as Agent; // undefined without a proxy: the property is optional
    },
    refused: () => plugin?.forget(),
    namespace,
    ...(userName === undefined ? {} : { userName }),
    userAgent: options.userAgent ?? defaultUserAgent,
  };
}

interface CredentialSource {
  settings: ReturnType<typeof readKubeconfig>;
  baseUrl: string;
  proxy: string | undefined;
  plugin: ReturnType<typeof credentialPlugin> | undefined;
  makeConfig(): KubeConfig;
}

/** The headers and TLS identity of each request, read again for it: tokens and certificates are rotated. */
class Credentials {
  readonly #source: CredentialSource;
  #plugged: Partial<PluginCredential> = {};
  #config: KubeConfig;
  tls: TlsIdentity | undefined;
  agent: Agent | undefined;

  constructor(source: CredentialSource) {
    this.#source = source;
    this.#config = this.#configFor(this.#plugged);
  }

  async headers(): Promise<Record<string, string>> {
    const { settings, plugin, proxy } = this.#source;
    const { from, user } = settings;
    const credential = await plugin?.credential();
    if (credential && credential.clientCertificateData !== this.#plugged.clientCertificateData) this.#config = this.#configFor(credential);
    this.#plugged = credential ?? this.#plugged;
    let request = await this.#read();
    const fresh = tlsOf(request);
    if (!sameTls(this.tls, fresh)) {
      verifyUsable(fresh, from);
      // An agent through a proxy keeps the certificates that it was made with.
      if (this.tls !== undefined && proxy) {
        this.#config = this.#configFor(this.#plugged);
        request = await this.#read();
      }
      this.tls = fresh;
    }
    if (proxy) this.agent = request.agent as Agent;
    const sent = stringHeaders(request.headers);
    if (request.auth) sent.Authorization = `Basic ${base64(request.auth)}`;
    const token = credential?.token ?? (user.tokenFile === undefined ? undefined : tokenIn(user.tokenFile, from));
    if (token) sent.Authorization = `Bearer ${token}`;
    return sent;
  }

  /** client-node's own view: without what it would cache for ever, read once, or print whole when it fails. */
  #configFor(certificate: Partial<PluginCredential>): KubeConfig {
    const { settings, baseUrl, proxy, makeConfig } = this.#source;
    const { exec: _, tokenFile: __, ...rest } = settings.user;
    const config = makeConfig();
    const inline = {
      ...(certificate.clientCertificateData ? { 'client-certificate-data': base64(certificate.clientCertificateData) } : {}),
      ...(certificate.clientKeyData ? { 'client-key-data': base64(certificate.clientKeyData) } : {}),
    };
    // client-node refuses plain HTTP unless TLS verification is off. HTTP has nothing to verify.
    const insecure = baseUrl.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
    const entry = { ...settings.cluster, server: baseUrl, ...(proxy ? { 'proxy-url': proxy } : {}), ...insecure };
    config.loadFromString(
      JSON.stringify({
        'current-context': 'it',
        contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
        clusters: [{ name: 'it', cluster: entry }],
        users: [{ name: 'it', user: { ...rest, ...inline } }],
      }),
    );
    return config;
  }

  async #read(): Promise<RequestOptions> {
    const request: RequestOptions = { headers: {} };
    try {
      await this.#config.applyToHTTPSOptions(request);
    } catch (cause) {
      const reason = cause instanceof Error ? oneLine(cause.message) : 'the credentials cannot be read';
      throw new KubeconfigError(`${this.#source.settings.from}: ${reason}`, { cause });
    }
    return request;
  }
}

function serverUrl(server: string, from: string): string {
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new KubeconfigError(`${from}: the server ${server} is not a URL: write it like https://example.org:6443`);
  return withoutTrailing(server, '/');
}

/** Read before each request: projected tokens are replaced about every hour. */
function tokenIn(file: string, from: string): string {
  try {
    const token = readFileSync(file, 'utf8').trim();
    if (token !== '') return token;
  } catch (cause) {
    throw new KubeconfigError(`${from}: the token file ${file} cannot be read: correct its path, or mount the token`, { cause });
  }
  throw new KubeconfigError(`${from}: the token file ${file} is empty: write a token into it`);
}

function verifyUsable(identity: TlsIdentity, from: string): void {
  try {
    createSecureContext(identity);
    // Node takes any text for an authority.
    if (identity.ca !== undefined) new X509Certificate(identity.ca);
  } catch (cause) {
    const why = cause instanceof Error ? oneLine(cause.message) : 'unknown';
    throw new KubeconfigError(
      `${from}: its certificates cannot be used (${why}): correct client-certificate, client-key and certificate-authority`,
      { cause },
    );
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 200);

function tlsOf(request: RequestOptions): TlsIdentity {
  const { ca, cert, key, rejectUnauthorized, servername } = request;
  return {
    ...(isPem(ca) ? { ca } : {}),
    ...(isPem(cert) ? { cert } : {}),
    ...(isPem(key) ? { key } : {}),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
  };
}

const isPem = (value: unknown): value is string | Buffer => typeof value === 'string' || Buffer.isBuffer(value);

const sameTls = (a: TlsIdentity | undefined, b: TlsIdentity): boolean =>
  a !== undefined &&
  String(a.ca) === String(b.ca) &&
  String(a.cert) === String(b.cert) &&
  String(a.key) === String(b.key) &&
  a.rejectUnauthorized === b.rejectUnauthorized &&
  a.servername === b.servername;

function stringHeaders(headers: RequestOptions['headers']): Record<string, string> {
  const entries = Object.entries(headers ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}

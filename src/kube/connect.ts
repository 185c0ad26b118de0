import type { Agent, RequestOptions } from 'node:https';

/** What a request needs to reach one API server as one identity. */
export interface Connection {
  /** Without a trailing slash; may have a path (a proxied cluster). */
  readonly baseUrl: string;
  /** The credentials of this moment: asked before every request, so that rotated tokens are used. */
  headers(): Promise<Record<string, string>>;
  /** Changes (as a new object) when client certificates rotate; read after `headers()`. */
  readonly tls?: TlsIdentity;
  /** Set where the kubeconfig names a proxy: requests go through it. */
  readonly agent?: Agent;
  /** The context's namespace, `default` where it has none. */
  readonly namespace: string;
  readonly userAgent: string;
}

export interface TlsIdentity {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  rejectUnauthorized?: boolean;
  servername?: string;
}

export interface ConnectOptions {
  /** A file's path, or the kubeconfig's text. Absent: the pod's service account, else `~/.kube/config`. */
  kubeconfig?: string;
  /** Replaces the server's URL. */
  master?: string;
  /** Absent: the file's current context. */
  context?: string;
  userAgent?: string;
}

const defaultUserAgent = 'serin';

/** Plain access without credentials: the embedded cluster over HTTP. */
export function connectionTo(url: string, options: { userAgent?: string } = {}): Connection {
  return {
    baseUrl: withoutTrailingSlash(url),
    headers: async () => ({}),
    namespace: 'default',
    userAgent: options.userAgent ?? defaultUserAgent,
  };
}

/**
 * Reads a kubeconfig (or the pod's service account). A promise, because client-node is loaded only here and only when it is
 * needed: it is most of the program's start-up time.
 */
export async function loadConnection(options: ConnectOptions = {}): Promise<Connection> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (options.kubeconfig === undefined) config.loadFromDefault();
  else if (/\n|^\s*\{/.test(options.kubeconfig)) config.loadFromString(options.kubeconfig);
  else config.loadFromFile(options.kubeconfig);
  if (options.context !== undefined) {
    if (config.getContextObject(options.context) === null) throw new Error(`the kubeconfig has no context named ${options.context}`);
    config.setCurrentContext(options.context);
  }
  const cluster = config.getCurrentCluster();
  const server = options.master ?? cluster?.server;
  if (server === undefined) throw new Error('the kubeconfig names no cluster: set the context, or give the API server with --master');
  // client-node refuses plain HTTP unless TLS verification is off; over HTTP there is nothing to verify.
  if (cluster?.server.startsWith('http:')) {
    config.clusters = config.clusters.map((each) => (each.name === cluster.name ? { ...each, skipTLSVerify: true } : each));
  }
  const baseUrl = withoutTrailingSlash(server);
  let tls: TlsIdentity | undefined;
  let agent: Agent | undefined;

  const headers = async (): Promise<Record<string, string>> => {
    const request: RequestOptions = { headers: {} };
    await config.applyToHTTPSOptions(request);
    const fresh = tlsOf(request);
    if (!sameTls(tls, fresh)) tls = fresh;
    if (cluster?.proxyUrl !== undefined) agent = request.agent as Agent;
    const sent = stringHeaders(request.headers);
    if (request.auth) sent.Authorization = `Basic ${Buffer.from(request.auth).toString('base64')}`;
    return sent;
  };
  return {
    baseUrl,
    headers,
    get tls() {
      return tls as TlsIdentity; // undefined before the first headers(): the property is optional
    },
    get agent() {
      return agent as Agent;
    },
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    userAgent: options.userAgent ?? defaultUserAgent,
  };
}

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

const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, '');

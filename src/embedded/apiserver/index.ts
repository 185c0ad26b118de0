import { createServer } from 'node:http';
import type { KubeObject } from '../../api/kube-object.ts';
import { keptIn } from '../../base/once.ts';
import { realWorld, type World } from '../world.ts';
import { Api } from './api.ts';
import { Collectors } from './collectors.ts';
import { type Exchange, readRequestBody, sendJson } from './exchange.ts';
import { answerPlain } from './plain-paths.ts';
import { type ApiPath, parsePath, verbOf } from './request.ts';
import { type HandlerOptions, ResourceRequest } from './resource-request.ts';
import { forbidden, pathNotFound, StatusError } from './status.ts';
import { type ApiHooks, internalWrite } from './write-context.ts';

export interface ApiServerOptions {
  /** 0, the default, takes any free port. */
  port?: number;
  /** Most changes that a watch or a list can lag behind before it gets 410; default 10,000. */
  watchWindow?: number;
  world?: World;
  onRequest?: (request: ApiServerRequest) => void;
  /** Allows a request for a resource, by default all. */
  authorize?: (request: AuthorizedRequest) => boolean;
  hooks?: ApiHooks;
  /** CustomResourceDefinitions that exist from the start. */
  crds?: readonly KubeObject[];
}

/** A request as RBAC sees it. */
export interface AuthorizedRequest {
  /** The user agent, since requests have no credentials. */
  userAgent: string;
  verb: string;
  group: string;
  /** Plural, with its subresource: `canaries/status`. */
  resource: string;
  /** Empty for cluster-scoped objects, or for all namespaces. */
  namespace: string;
  /** Empty for no object, or for a list or watch that is not limited to one. */
  name: string;
}

interface ApiServerRequest {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  verb: string;
  /** Path and query. */
  path: string;
  userAgent: string;
  status: number;
}

export interface ApiServer {
  readonly url: string;
  stop(): Promise<void>;
  /** Requests so far by verb and resource (`patch canaries/status`), of all clients or of one user agent. */
  requestCounts(userAgent?: string): Record<string, number>;
  /** YAML for `KUBECONFIG`; `namespace` is that of commands which name none. */
  kubeconfig(namespace?: string): string;
  /** Every object, by store (`group/plural`). */
  snapshot(): Record<string, KubeObject[]>;
}

/** A Kubernetes API server in this process, on loopback, with all state in memory. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const world = options.world ?? realWorld;
  const { clock, network, random } = world;
  const api = new Api(world, options.watchWindow ?? 10_000, options.hooks);
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
    create(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const crd of options.crds ?? []) create(api, crd);
  const collectors = new Collectors(api);
  const counts = new Map<string, Map<string, number>>();
  // The bounds of a real server.
  const watchTimeoutMs = (): number => (1800 + random() * 1800) * 1000;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const exchange: Exchange = { request, response, url, verb: (request.method ?? 'GET').toLowerCase(), resource: url.pathname };
    const userAgent = String(request.headers['user-agent'] ?? '');
    const note = (): void => {
      const mine = keptIn(counts, userAgent, () => new Map());
      const key = `${exchange.verb} ${exchange.resource}`;
      mine.set(key, (mine.get(key) ?? 0) + 1);
      options.onRequest?.({ verb: exchange.verb, path: request.url ?? '/', userAgent, status: response.statusCode });
    };
    handle(api, { clock, watchTimeoutMs }, exchange, options.authorize)
      .catch((cause: unknown) => {
        const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
        const failure = cause instanceof StatusError ? cause : new StatusError(500, 'InternalError', `Internal error occurred: ${text}`);
        const { retryAfterSeconds } = failure.details ?? {};
        if (retryAfterSeconds !== undefined && !response.headersSent) response.setHeader('retry-after', retryAfterSeconds);
        sendJson(response, failure.code, failure.toStatus());
      })
      .finally(note);
  });
  server.keepAliveTimeout = 60_000;
  const { url, close } = await network.listen(server, options.port);
  return {
    url,
    stop: () => {
      collectors.stop();
      return close(true);
    },
    requestCounts: (userAgent) => {
      const total: Record<string, number> = {};
      for (const [agent, mine] of counts)
        if (userAgent === undefined || agent === userAgent) for (const [key, count] of mine) total[key] = (total[key] ?? 0) + count;
      return total;
    },
    kubeconfig: (namespace = 'default') => kubeconfigFor(url, namespace),
    snapshot: () => Object.fromEntries(api.store.storeKeys().map((key) => [key, api.store.list(key).map(([, object]) => object)])),
  };
}

/** Answers one request. */
async function handle(api: Api, options: HandlerOptions, exchange: Exchange, authorize: ApiServerOptions['authorize']): Promise<void> {
  const { request, url } = exchange;
  const path = parsePath(url.pathname);
  if (path === undefined) return answerPlain(api, exchange);
  const resource = api.resources.find(path.group, path.version, path.plural);
  exchange.verb = verbOf(request.method ?? 'GET', path, url.searchParams);
  exchange.resource = path.subresource === '' ? path.plural : `${path.plural}/${path.subresource}`;
  // Before the check that the resource exists, as in a real server.
  if (authorize !== undefined) authorizeBy(authorize, api, exchange, path);
  if (resource === undefined || (path.namespace !== '' && !resource.namespaced)) throw pathNotFound();
  const body = await readRequestBody(request);
  return new ResourceRequest(api, options, exchange, path, resource, body).run();
}

/** An apply that makes an object takes the right to create it as well (k8s.io/apiserver, handlers/patch.go). */
function authorizeBy(authorize: (request: AuthorizedRequest) => boolean, api: Api, exchange: Exchange, path: ApiPath): void {
  const asked = attributesOf(exchange, path);
  const resource = api.resources.find(path.group, path.version, path.plural);
  const isApply = String(exchange.request.headers['content-type']).startsWith('application/apply-patch');
  const makes = isApply && resource && api.store.get(resource.storeKey, `${path.namespace}/${path.name}`) === undefined;
  for (const verb of [asked.verb, ...(makes ? ['create'] : [])])
    if (!authorize({ ...asked, verb })) throw forbidden({ ...path, kind: '' }, path.name, `it cannot ${verb} resource "${asked.resource}"`);
}

/** For a list or watch, the name in its field selector; for a namespace, its own name. */
function attributesOf({ request, url, verb, resource }: Exchange, path: ApiPath): AuthorizedRequest {
  const { group, plural } = path;
  const [, selected = ''] = /^metadata\.name=([^,]+)$/.exec(url.searchParams.get('fieldSelector') ?? '') ?? [];
  const name = path.name || selected;
  const namespace = group === '' && plural === 'namespaces' ? name : path.namespace;
  return { userAgent: String(request.headers['user-agent'] ?? ''), verb, group, resource, namespace, name };
}

function create(api: Api, object: KubeObject): void {
  const resource = api.resources.byKind(object.apiVersion, object.kind);
  if (resource !== undefined) api.create(resource, '', object, internalWrite);
}

/** client-node refuses plain HTTP unless the check of TLS is off, even without TLS. */
const kubeconfigFor = (url: string, namespace: string): string => `apiVersion: v1
kind: Config
current-context: serin
clusters:
  - name: serin
    cluster:
      server: ${url}
      insecure-skip-tls-verify: true
contexts:
  - name: serin
    context:
      cluster: serin
      user: serin
      namespace: ${namespace}
users:
  - name: serin
    user: {}
`;

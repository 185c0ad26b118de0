import type { Api } from './api.ts';
import { aggregated, groupList, oneGroup, openApiRoot, openApiV3, resourceList, versionInfo } from './discovery.ts';
import { type Exchange, sendJson } from './exchange.ts';
import type { JsonObject } from './json.ts';
import type { Resource } from './resources.ts';
import { notAcceptable, pathNotFound } from './status.ts';

const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Health, version, discovery and OpenAPI: paths that name no resource. */
export function answerPlain(api: Api, { request, response, url }: Exchange) {
  const all = api.resources.all();
  const path = url.pathname.replace(/\/$/, '');
  const accept = String(request.headers.accept ?? '');
  const wantsAggregated = accept.includes('as=APIGroupDiscoveryList');
  if (['/livez', '/readyz', '/healthz'].includes(path))
    return void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('ok');
  if ((path === '/api' || path === '/apis') && wantsAggregated)
    return sendJson(response, 200, aggregated(all, path === '/api'), discoveryType);
  // The real server also has protobuf; JSON under that name would be misread.
  if (path === '/openapi/v2' && accept.includes('proto-openapi') && !/json|\*\/\*/.test(accept)) throw notAcceptable('application/json');
  const found = documentAt(path, all);
  if (found === undefined) throw pathNotFound();
  sendJson(response, 200, found);
}

/** `undefined` if no document is served there. */
function documentAt(path: string, all: readonly Resource[]): JsonObject | undefined {
  const [root, ...names] = path.split('/').slice(1);
  const [first = '', second = ''] = names;
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') return groupList(all);
  if (path === '/version') return versionInfo();
  if (path === '/openapi/v3') return openApiRoot(all);
  if (path === '/openapi/v2')
    return { swagger: '2.0', info: { title: 'Kubernetes', version: versionInfo().gitVersion }, paths: {}, definitions: {} };
  if (path.startsWith('/openapi/v3/')) return openApiV3(all, path.slice('/openapi/v3/'.length));
  if (root === 'api') return resourceList(all, '', first);
  if (root !== 'apis') return undefined;
  return names.length === 1 ? oneGroup(all, first) : resourceList(all, first, second);
}

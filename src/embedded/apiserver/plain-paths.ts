import type { Api } from './api.ts';
import { aggregated, apiVersions, groupList, oneGroup, openApiRoot, openApiV3, resourceList, versionInfo } from './discovery.ts';
import { type Exchange, sendJson } from './exchange.ts';
import { pathNotFound } from './status.ts';

const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Health, version, discovery and OpenAPI: paths that name no resource. */
export function answerPlain(api: Api, { request, response, url }: Exchange) {
  const all = api.resources.all();
  const path = url.pathname.replace(/\/$/, '');
  const wantsAggregated = String(request.headers.accept ?? '').includes('as=APIGroupDiscoveryList');
  if (['/livez', '/readyz', '/healthz'].includes(path))
    return void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('ok');
  if ((path === '/api' || path === '/apis') && wantsAggregated)
    return sendJson(response, 200, aggregated(all, path === '/api'), discoveryType);
  const parts = path.split('/').slice(1);
  const found =
    path === '/api'
      ? apiVersions()
      : path === '/apis'
        ? groupList(all)
        : path === '/version'
          ? versionInfo()
          : path === '/openapi/v3'
            ? openApiRoot(all)
            : path === '/openapi/v2'
              ? { swagger: '2.0', info: { title: 'Kubernetes', version: versionInfo().gitVersion }, paths: {}, definitions: {} }
              : path.startsWith('/openapi/v3/')
                ? openApiV3(all, path.slice('/openapi/v3/'.length))
                : parts[0] === 'api'
                  ? resourceList(all, '', parts[1] ?? '')
                  : parts[0] === 'apis' && parts.length === 2
                    ? oneGroup(all, parts[1] ?? '')
                    : parts[0] === 'apis'
                      ? resourceList(all, parts[1] ?? '', parts[2] ?? '')
                      : undefined;
  if (found === undefined) throw pathNotFound();
  sendJson(response, 200, found);
}

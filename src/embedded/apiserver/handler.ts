import type { Api } from './api.ts';
import { type Exchange, readBody } from './exchange.ts';
import { answerPlain } from './plain-paths.ts';
import { parsePath, verbOf } from './request.ts';
import { type HandlerOptions, ResourceRequest } from './resource-request.ts';
import { pathNotFound } from './status.ts';

/** Answers one request. */
export async function handle(api: Api, options: HandlerOptions, exchange: Exchange): Promise<void> {
  const { request, url } = exchange;
  const path = parsePath(url.pathname);
  if (path === undefined) return answerPlain(api, exchange);
  const resource = api.resources.find(path.group, path.version, path.plural);
  exchange.verb = verbOf(request.method ?? 'GET', path, url.searchParams);
  exchange.resource = path.subresource === '' ? path.plural : `${path.plural}/${path.subresource}`;
  if (resource === undefined || (path.namespace !== '' && !resource.namespaced)) throw pathNotFound();
  const body = await readBody(request);
  return new ResourceRequest(api, options, exchange, path, resource, body).run();
}

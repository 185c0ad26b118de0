import type { Api } from './api.ts';
import { clone, type Json } from './json.ts';
import type { ApiPath } from './request.ts';
import type { Resource } from './resources.ts';
import { methodNotAllowed, pathNotFound, Refusal } from './status.ts';

/** `log`, `eviction` and `binding`: the answer's code, or the text of a log. */
export function podSubresource(api: Api, resource: Resource, path: ApiPath, verb: string, body: Json): { code: number } | { text: string } {
  const { namespace, name, subresource } = path;
  const pod = api.get(resource, namespace, name);
  if (subresource === 'log' && verb === 'get') return { text: '' };
  if (verb !== 'create') throw methodNotAllowed();
  if (subresource === 'eviction') {
    api.delete(resource, namespace, name, body?.deleteOptions ?? {});
    return { code: 201 };
  }
  if (subresource !== 'binding') throw pathNotFound();
  if (pod.spec?.nodeName)
    throw new Refusal(
      409,
      'Conflict',
      `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`,
      { name, kind: 'pods/binding' },
    );
  const bound = clone(pod);
  bound.spec.nodeName = body?.target?.name;
  const conditions = (bound.status?.conditions ?? []).filter((condition: Json) => condition.type !== 'PodScheduled');
  bound.status = {
    ...bound.status,
    conditions: [...conditions, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: api.time() }],
  };
  api.store.put(resource.storeKey, bound);
  return { code: 201 };
}

import type { KubeObject } from '../../api/kube-object.ts';
import type { Api } from './api.ts';
import { clone, type Json, type RawObject } from './json.ts';
import type { ApiPath } from './request.ts';
import type { Resource } from './resources.ts';
import { methodNotAllowed, pathNotFound, StatusError } from './status.ts';

/** `log`, `eviction` and `binding`: the answer's code. */
export function podSubresource(api: Api, resource: Resource, path: ApiPath, verb: string, body: Json): { code: number } {
  const { namespace, name, subresource } = path;
  const pod: RawObject = api.get(resource, namespace, name);
  if (subresource === 'log' && verb === 'get')
    throw new StatusError(
      501,
      'NotImplemented',
      `pod ${name} has no log: the embedded cluster runs pods as small HTTP applications inside its own process, which write none`,
      {},
    );
  if (verb !== 'create') throw methodNotAllowed();
  if (subresource === 'eviction') {
    api.delete(resource, namespace, name, body?.deleteOptions ?? {});
    return { code: 201 };
  }
  if (subresource !== 'binding') throw pathNotFound();
  if (pod.spec?.nodeName)
    throw new StatusError(
      409,
      'Conflict',
      `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`,
      { name, kind: 'pods/binding' },
    );
  if (pod.spec?.schedulingGates?.length > 0)
    throw new StatusError(
      409,
      'Conflict',
      `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} has non-empty .spec.schedulingGates`,
      { name, kind: 'pods/binding' },
    );
  const bound = clone(pod);
  bound.spec.nodeName = body?.target?.name;
  bound.metadata.labels = { ...bound.metadata.labels, ...topologyOf(api.store.get('/nodes', `/${body?.target?.name}`)) };
  const conditions = (bound.status?.conditions ?? []).filter((condition: Json) => condition.type !== 'PodScheduled');
  bound.status = {
    ...bound.status,
    conditions: [...conditions, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: api.time() }],
  };
  api.store.put(resource.storeKey, bound);
  return { code: 201 };
}

/** A pod carries the zone and region of its node. Source: the PodTopologyLabels admission plugin, on since Kubernetes 1.35. */
function topologyOf(node: KubeObject | undefined): Record<string, string> {
  const labels = Object.entries(node?.metadata.labels ?? {});
  return Object.fromEntries(labels.filter(([key]) => key === 'topology.kubernetes.io/zone' || key === 'topology.kubernetes.io/region'));
}

import type { KubeObject } from '../../api/kube-object.ts';
import type { Api } from './api.ts';
import { evict } from './eviction.ts';
import { clone, type Json, type RawObject } from './json.ts';
import type { ApiPath } from './request.ts';
import type { Resource } from './resources.ts';
import { conflict, methodNotAllowed, pathNotFound, StatusError } from './status.ts';

/** `log`, `eviction` and `binding`: done, or refused. */
export function podSubresource(api: Api, resource: Resource, path: ApiPath, verb: string, body: Json, isDryRun: boolean): void {
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
    evict(api, resource, namespace, name, body, isDryRun);
    return;
  }
  if (subresource !== 'binding') throw pathNotFound();
  const binding = { group: '', plural: 'pods/binding', kind: 'Binding' };
  if (pod.spec?.nodeName) throw conflict(binding, name, `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if (pod.spec?.schedulingGates?.length > 0) throw conflict(binding, name, `pod ${name} has non-empty .spec.schedulingGates`);
  const bound = clone(pod);
  bound.spec.nodeName = body?.target?.name;
  bound.metadata.labels = { ...bound.metadata.labels, ...topologyOf(api.store.get('/nodes', `/${body?.target?.name}`)) };
  const conditions = (bound.status?.conditions ?? []).filter((condition: Json) => condition.type !== 'PodScheduled');
  bound.status = {
    ...bound.status,
    conditions: [...conditions, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: api.time() }],
  };
  api.store.put(resource.storeKey, bound);
}

/** A pod carries the zone and region of its node. Source: the PodTopologyLabels admission plugin, on since Kubernetes 1.35. */
function topologyOf(node: KubeObject | undefined): Record<string, string> {
  const labels = Object.entries(node?.metadata.labels ?? {});
  return Object.fromEntries(labels.filter(([key]) => key === 'topology.kubernetes.io/zone' || key === 'topology.kubernetes.io/region'));
}

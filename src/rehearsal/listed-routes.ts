import type { Canary } from '../api/canary.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import type { ParentReference } from '../api/service-spec.ts';
import { type JsonRecord, recordsIn, textsIn } from '../base/json.ts';

/** Host and gateway by which users call an application. With an empty host, they use the name of the Service. */
interface WayIn {
  host: string;
  gateway: string;
}

/** Host and gateway of the first route of `spec.routeRefs` that exists. */
export function wayInByListed({ spec, metadata: { namespace } }: Canary, objects: readonly KubeObject[]): WayIn | undefined {
  for (const { kind, name } of spec.routeRefs ?? []) {
    const isIt = ({ metadata, ...one }: KubeObject) =>
      one.kind === kind && metadata.name === name && (metadata.namespace ?? namespace) === namespace;
    const found = objects.find(isIt);
    if (found) return wayIn(specOf<JsonRecord>(found), namespace);
  }
  return undefined;
}

function wayIn({ hosts, hostnames, virtualhost, gateways, parentRefs }: JsonRecord, namespace: string): WayIn {
  const [host = ''] = [...textsIn(hosts), ...textsIn(hostnames), ...recordsIn([virtualhost]).flatMap(({ fqdn }) => textsIn([fqdn]))];
  const parent = recordsIn(parentRefs).find((one: Partial<ParentReference>) => (one.kind ?? 'Gateway') === 'Gateway');
  // Within a mesh the name of the Service is the host.
  if (parentRefs !== undefined && !parent) return { host: '', gateway: 'mesh' };
  const named = parent ? [`${parent.namespace ?? namespace}/${parent.name}`] : textsIn(gateways);
  const [gateway = 'mesh'] = named.includes('mesh') ? ['mesh'] : named;
  return { host, gateway: gateway === 'mesh' || gateway.includes('/') ? gateway : `${namespace}/${gateway}` };
}

/** Routes that lead to the application, in place of listed routes that the manifests lack. */
export function madeListed(canary: Canary): KubeObject[] {
  const { spec, metadata } = canary;
  return (spec.routeRefs ?? []).map(({ apiVersion, kind, name }) => ({
    ...{ apiVersion, kind, metadata: { name, namespace: metadata.namespace } },
    spec: specOfKind(canary, kind),
  }));
}

function specOfKind(canary: Canary, kind: string): JsonRecord {
  const { service } = canary.spec;
  const { apexService } = names(canary);
  const port = service.port ?? 80;
  const hosts = service.hosts ?? [];
  if (kind === 'VirtualService')
    return {
      hosts: hosts.length > 0 ? hosts : [apexService],
      ...(service.gateways && { gateways: service.gateways }),
      http: [{ route: [{ destination: { host: apexService } }] }],
    };
  if (kind === 'HTTPProxy')
    return { virtualhost: { fqdn: hosts[0] ?? `${apexService}.example` }, routes: [{ services: [{ name: apexService, port }] }] };
  const rules = [{ backendRefs: [{ name: apexService, port }] }];
  if (!service.gatewayRefs?.length) return { parentRefs: [{ group: '', kind: 'Service', name: apexService, port }], rules };
  return { parentRefs: service.gatewayRefs, ...(hosts.length > 0 && { hostnames: hosts }), rules };
}

import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { Say } from './fingerprint.ts';
import { hostOf, meshRoutes, protocolOf, rulesFor, trafficPolicyFor } from './istio-lookup.ts';
import type { KindOfLoss } from './kinds-of-loss.ts';
import { selectsByMap } from './label-selector.ts';
import { APPLICATION, type Seen, type Workload } from './seen.ts';

/** Destination of a request to a Service, after routes have led it. */
interface Led {
  service: KubeObject | undefined;
  host: string;
  port: Raw;
  subset?: string;
}

/** Pods that answer at each port of each Service, by number and by name, and their terms. */
export function requests(seen: Seen, say: Say): void {
  for (const service of seen.own('Service')) {
    for (const port of raw(service).spec.ports ?? []) portOf(seen, service, port, say);
    const led = (raw(service).spec.ports ?? []).flatMap((port: Raw) => ledTo(seen, service, port));
    const behind = led.flatMap(({ service: to }: Led) => (to ? [steeringOf(to)] : []));
    say(`what steers traffic at Service/${service.metadata.name}`, 'Service terms', [steeringOf(service)], [service]);
    say(`what steers traffic behind Service/${service.metadata.name}`, 'Service terms', behind, [service]);
  }
  for (const ingress of seen.own('Ingress')) ingressOf(seen, ingress, say);
}

function portOf(seen: Seen, service: KubeObject, port: Raw, say: Say): void {
  const { name } = service.metadata;
  const led = ledTo(seen, service, port);
  const there = led.filter((one) => one.service !== undefined);
  const answers = led.flatMap((one) => endpointsOf(seen, one));
  const values = answers.map(({ workload, number }) => `${workload.name}:${number}`);
  const by = `Service/${name}:${port.port}/${port.protocol ?? 'TCP'}`;
  const names = new Set(answers.map(({ workload }) => workload.name));
  const kind: KindOfLoss = !names.has(APPLICATION)
    ? 'other Service'
    : names.size > 1
      ? 'shared Service'
      : name === seen.app.apex
        ? port.port === seen.app.port
          ? 'apex Service'
          : 'apex port'
        : 'further Service';
  say(`who answers at ${by}`, kind, values, [service]);
  if (port.name) say(`Service/${name} by the port name ${port.name}`, 'port name', [`port ${port.port}`], [service]);
  const ofTerms: KindOfLoss = port.appProtocol ? 'appProtocol' : 'port name';
  say(`the protocol of ${by}`, ofTerms, [protocolOf(port) ?? 'detected'], [service]);
  say(
    `the protocol behind ${by}`,
    ofTerms,
    there.map((one) => protocolOf(one.port) ?? 'detected'),
    [service],
  );
  if (!seen.app.hasMesh) return;
  const { namespace } = seen.app;
  const rules = led.map(({ host }) => rulesFor(seen.all('DestinationRule'), host, namespace, namespace));
  const policies = led.map(({ port: at, subset }, index) => canonical(trafficPolicyFor(rules[index] ?? [], at.port, subset).policy));
  say(`the traffic policy of ${by}`, 'DestinationRule', policies, rules.flat());
}

/** An Ingress names a port of a Service by its number or its name. */
function ingressOf(seen: Seen, ingress: KubeObject, say: Say): void {
  const { rules = [], defaultBackend } = raw(ingress).spec;
  const paths: { at: string; backend: Raw }[] = rules.flatMap(({ host = '*', http }: Raw) =>
    (http?.paths ?? []).map(({ path = '/', backend }: Raw) => ({ at: `${host}${path}`, backend })),
  );
  if (defaultBackend) paths.push({ at: 'anything else', backend: defaultBackend });
  for (const { at, backend } of paths) {
    const service = seen.own('Service').find(({ metadata }) => metadata.name === backend.service?.name);
    const { number, name } = backend.service?.port ?? {};
    const port = raw(service)?.spec.ports?.find((one: Raw) => (name ? one.name === name : one.port === number));
    const values = port ? [`Service/${backend.service.name}:${port.port}`] : [];
    say(`where ${at} of Ingress/${ingress.metadata.name} leads`, name ? 'port name' : 'route', values, [ingress]);
  }
}

/** Destinations of a port: by the mesh, if there is one; else straight to the Service. */
export function ledTo(seen: Seen, service: KubeObject, port: Raw): Led[] {
  const { namespace, hasMesh } = seen.app;
  const host = hostOf(service.metadata.name, namespace);
  const straight: Led = { service, host, port };
  if (!hasMesh) return [straight];
  const routes = meshRoutes(seen.own('VirtualService'), { host, namespace, port: port.port, protocol: protocolOf(port) });
  if (routes === undefined) return [straight];
  return routes.map((to) => {
    const found = seen.own('Service').find(({ metadata }) => hostOf(metadata.name, namespace) === to.host);
    const ports: Raw[] = raw(found)?.spec.ports ?? [];
    // As in istiod (`GetDestinationCluster`): without a number, the Service's single port, or the port of the client's request.
    const number = to.port ?? (ports.length === 1 ? ports[0].port : port.port);
    const at = ports.find((one) => one.port === number);
    return { service: at && found, host: to.host, port: at ?? { port: number }, ...(to.subset && { subset: to.subset }) };
  });
}

/** Ready pods behind a port, with the number by which they are reached. */
export function endpointsOf(seen: Seen, { service, host, port, subset }: Led): { workload: Workload; number: number }[] {
  if (service === undefined) return [];
  const { namespace } = seen.app;
  const { selector, publishNotReadyAddresses } = raw(service).spec;
  const rules = subset === undefined ? [] : rulesFor(seen.all('DestinationRule'), host, namespace, namespace);
  const labels = subset === undefined ? {} : trafficPolicyFor(rules, port.port, subset).subset;
  if (labels === undefined) return [];
  const { targetPort = port.port, protocol = 'TCP' } = port;
  return seen.workloads.flatMap((workload) => {
    const isHere = workload.peer.pod?.namespace === namespace && (workload.isReady || publishNotReadyAddresses === true);
    if (!isHere || !selectsByMap(selector, workload.labels)) return [];
    if (Object.keys(labels).length > 0 && !selectsByMap(labels, workload.labels)) return [];
    const isNumber = /^\d+$/.test(String(targetPort));
    const named = workload.ports.find((one) => one.name === targetPort && one.protocol === protocol);
    const number = isNumber ? Number(targetPort) : named?.number;
    return number === undefined ? [] : [{ workload, number }];
  });
}

/**
 * Settings that proxies read from a Service itself: waypoint (Istio ambient), protocols of back ends (Contour, Traefik, nginx, cloud balancers), affinity and
 * topology (Kubernetes).
 */
const STEERING =
  /^(istio\.io\/use-waypoint|istio\.io\/use-waypoint-namespace|istio\.io\/ingress-use-waypoint|networking\.istio\.io\/(exportTo|traffic-distribution)|projectcontour\.io\/.*|traefik\.ingress\.kubernetes\.io\/service\..*|ingress\.kubernetes\.io\/service-upstream|service\.kubernetes\.io\/topology-mode|config\.linkerd\.io\/.*|cloud\.google\.com\/(backend-config|app-protocols))$/;

function steeringOf({ metadata: { labels, annotations }, ...service }: KubeObject): string {
  const said = Object.entries({ ...labels, ...annotations }).filter(([key]) => STEERING.test(key));
  const { sessionAffinity = 'None', trafficDistribution, internalTrafficPolicy = 'Cluster' } = raw(service).spec;
  const usual = { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' };
  const fields = Object.entries({ sessionAffinity, trafficDistribution, internalTrafficPolicy }).filter(
    ([key, value]) => value !== undefined && value !== usual[key as keyof typeof usual],
  );
  return canonical(Object.fromEntries([...said, ...fields]));
}

/** JSON in which fields have one order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, held: unknown) =>
    typeof held === 'object' && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  );
}

import type { Canary } from '../../api/canary.ts';
import { error, type Finding, warning } from '../../api/finding.ts';
import { servicePorts } from '../../api/kinds/service.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { rootService, type SplitBackend, splitSpec, splitWeight } from '../../api/traffic-split.ts';

/** Defects of a TrafficSplit, by its specification, beside the known Services and splits. */
export function splitFindings(split: KubeObject, known: readonly KubeObject[]): Finding[] {
  const namespace = split.metadata.namespace ?? 'default';
  const neighbours = known.filter(({ metadata }) => (metadata.namespace ?? 'default') === namespace);
  const { service, backends: found } = splitSpec(split);
  const backends = Array.isArray(found) ? found : [];
  const root = rootService(String(service ?? ''), namespace);
  if (root === '') return [error('spec.service', 'is missing: name the Service that clients call')];
  if (backends.length === 0) return [error('spec.backends', 'is empty: name at least one Service')];
  return [
    ...backends.flatMap((backend, index) => {
      const path = `spec.backends[${index}]`;
      return [
        ...weightFindings(split, backend, path),
        ...serviceFindings(String(backend?.service ?? ''), root, path, neighbours, namespace),
      ];
    }),
    ...(backends.every(({ weight }) => splitWeight(weight ?? 0) === 0)
      ? [warning('spec.backends', 'has no weight above 0: no request is answered')]
      : []),
    ...matchFindings(split),
  ];
}

/** The same of the TrafficSplit that a Canary will have, whose sides have the Canary's own port. */
export function canarySplitFindings(canary: Canary, known: readonly KubeObject[]): Finding[] {
  const { apexService, primaryService, canaryService } = names(canary);
  const { namespace } = canary.metadata;
  const host = canary.spec.service.hosts?.[0];
  if (host === undefined || canary.spec.service.portDiscovery || rootService(host, namespace) === apexService) return [];
  const metadata = { name: apexService, namespace };
  const sides = [canaryService, primaryService].map((name) => ({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace } },
    spec: { ports: [{ port: canary.spec.service.port }] },
  }));
  const backends = [canaryService, primaryService].map((service, index) => ({ service, weight: 100 * index }));
  const split = { apiVersion: 'split.smi-spec.io/v1alpha4', kind: 'TrafficSplit', metadata, spec: { service: host, backends } };
  const others = known.filter(({ metadata }) => metadata.name !== apexService);
  return splitFindings(split, [...others, ...sides]).map((finding) => ({
    ...finding,
    path: 'spec.service.hosts[0]',
    message: `${host}: ${finding.message}`,
  }));
}

function weightFindings(split: KubeObject, { weight }: SplitBackend, path: string): Finding[] {
  const isQuantity = split.apiVersion.endsWith('/v1alpha1');
  const value = splitWeight(weight ?? 0);
  const isGood = value !== undefined && (isQuantity || Number.isInteger(weight));
  if (weight === undefined || isGood) return [];
  return [
    error(`${path}.weight`, `is ${JSON.stringify(weight)}: weights are ${isQuantity ? 'quantities' : 'whole numbers'} of 0 and above`),
  ];
}

function serviceFindings(name: string, root: string, path: string, neighbours: readonly KubeObject[], namespace: string): Finding[] {
  const at = `${path}.service`;
  if (name === '') return [error(at, 'is missing: name a Service')];
  // Linkerd's fault injection does it, and keeps the requests at that Service; other meshes refuse it or go in circles.
  if (name === root) return [warning(at, `is ${name}, the root itself, which the specification forbids: give the split a root of its own`)];
  const find = (service: string) =>
    neighbours.find(({ kind, apiVersion, metadata }) => kind === 'Service' && apiVersion === 'v1' && metadata.name === service);
  const inner = neighbours.find(
    (one) => one.kind === 'TrafficSplit' && rootService(String(splitSpec(one).service ?? ''), namespace) === name,
  );
  const nested = inner
    ? [
        warning(
          at,
          `is ${name}, the root of TrafficSplit ${inner.metadata.name}, whose weights do not apply here: splits are not hierarchical`,
        ),
      ]
    : [];
  // A backend can come later than the split.
  const [from, to] = [find(root), find(name)];
  const missing = from && to ? portsOf(from).filter((port) => !portsOf(to).includes(port)) : [];
  return [
    ...nested,
    ...missing.map((port) =>
      warning(at, `is ${name}, which has no port ${port} as Service ${root} has: it gets no requests on port ${port}`),
    ),
  ];
}

const portsOf = (service: KubeObject): number[] => servicePorts(service).map(({ port }) => port);

function matchFindings(split: KubeObject): Finding[] {
  if (!splitSpec(split).matches?.length || !/\/v1alpha[12]$/.test(split.apiVersion)) return [];
  return [error('spec.matches', `is unknown to ${split.apiVersion}, which sends every request to the backends: use v1alpha3 or v1alpha4`)];
}

import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { Say } from './fingerprint.ts';
import { ROOT_NAMESPACE } from './istio-lookup.ts';
import type { KindOfLoss } from './kinds-of-loss.ts';
import { type LabelSelector, selects, selectsByMap } from './label-selector.ts';
import { canonical } from './requests.ts';
import { APPLICATION, type Seen, type Workload } from './seen.ts';

interface Policy {
  kind: string;
  loss: KindOfLoss;
  /** True if it applies to the pods of a workload. */
  isAbout(policy: KubeObject, workload: Workload, seen: Seen): boolean;
  /** Its settings for them, without the name of the workload. */
  says(policy: KubeObject): unknown;
}

const without = (spec: Raw, ...fields: readonly string[]): unknown =>
  Object.fromEntries(Object.entries(spec ?? {}).filter(([field]) => !fields.includes(field)));
const isSameNamespace = (policy: KubeObject, { peer }: Workload): boolean => policy.metadata.namespace === peer.pod?.namespace;

/** `selector.matchLabels` of Istio: without it a policy is about all pods of its namespace, in the root namespace about all of the mesh. */
function ofIstio(kind: string, field = 'selector', labels = 'matchLabels', loss: KindOfLoss = 'workload policy'): Policy {
  return {
    kind,
    loss,
    isAbout: (policy, workload, { app }) => {
      const { [field]: selector, targetRef, targetRefs } = raw(policy).spec ?? {};
      if (!app.hasMesh || targetRef || targetRefs) return false;
      if (!isSameNamespace(policy, workload) && policy.metadata.namespace !== ROOT_NAMESPACE) return false;
      return selector?.[labels] === undefined || selectsByMap(selector[labels], workload.labels);
    },
    says: (policy) => without(raw(policy).spec, field),
  };
}

function bySelector(kind: string, loss: KindOfLoss, field: string): Policy {
  return {
    kind,
    loss,
    isAbout: (policy, workload) =>
      isSameNamespace(policy, workload) && selects(raw(policy).spec?.[field] as LabelSelector | undefined, workload.labels),
    says: (policy) => without(raw(policy).spec, field),
  };
}

function byReference(kind: string, loss: KindOfLoss, field: string, fields: readonly string[]): Policy {
  return {
    kind,
    loss,
    isAbout: (policy, workload, { app }) => {
      const { kind: of = 'Deployment', name } = raw(policy).spec?.[field] ?? {};
      const own = workload.side === 'target' ? app.target : workload.side === 'primary' ? `${app.target}-primary` : workload.name;
      return isSameNamespace(policy, workload) && of === workload.kind && name === own;
    },
    says: (policy) => fields.map((one) => raw(policy).spec[one]),
  };
}

const kinds: readonly Policy[] = [
  bySelector('PodDisruptionBudget', 'PDB', 'selector'),
  bySelector('Server', 'workload policy', 'podSelector'),
  ofIstio('AuthorizationPolicy'),
  ofIstio('PeerAuthentication'),
  ofIstio('RequestAuthentication'),
  ofIstio('Sidecar', 'workloadSelector', 'labels', 'Sidecar'),
  ofIstio('EnvoyFilter', 'workloadSelector', 'labels'),
  byReference('HorizontalPodAutoscaler', 'HPA', 'scaleTargetRef', ['minReplicas', 'maxReplicas', 'metrics', 'behavior']),
  byReference('ScaledObject', 'HPA', 'scaleTargetRef', ['minReplicaCount', 'maxReplicaCount']),
  byReference('VerticalPodAutoscaler', 'VPA', 'targetRef', ['updatePolicy', 'resourcePolicy']),
];

/** Named policies that apply to the pods of each workload. A pod under two budgets has two. */
export function policies(seen: Seen, say: Say): void {
  for (const { kind, loss, isAbout, says } of kinds) {
    for (const [name, sides] of Map.groupBy(seen.workloads, ({ name }) => name)) {
      const found = sides.map((side) => seen.all(kind).filter((policy) => isAbout(policy, side, seen)));
      const values = found.map(
        (all) =>
          all
            .map((policy) => canonical(says(policy)))
            .toSorted()
            .join(' and ') || 'none',
      );
      if (name === APPLICATION || found.flat().length > 0) say(`${kind} of ${name}`, loss, values, found.flat());
    }
  }
}

/** Pods that Prometheus' operator has scraped, with port and path: through the ports of Services, and directly. */
export function monitors(seen: Seen, say: Say): void {
  const scrapes: { name: string; what: string; monitor: KubeObject }[] = [];
  for (const monitor of seen.all('ServiceMonitor')) {
    for (const service of seen.all('Service')) {
      if (!isScraped(monitor, service.metadata.namespace, service.metadata.labels ?? {})) continue;
      for (const endpoint of raw(monitor).spec.endpoints ?? []) {
        const ports: Raw[] = raw(service).spec.ports ?? [];
        for (const port of ports.filter((one) => (endpoint.port ? one.name === endpoint.port : one.targetPort === endpoint.targetPort))) {
          for (const workload of seen.workloads) {
            const isSame = workload.peer.pod?.namespace === service.metadata.namespace;
            if (!isSame || !workload.isReady || !selectsByMap(raw(service).spec.selector, workload.labels)) continue;
            const { targetPort = port.port } = port;
            const number = workload.ports.find(({ name }) => name === targetPort)?.number ?? targetPort;
            scrapes.push({ name: workload.name, what: whatOf(number, endpoint), monitor });
          }
        }
      }
    }
  }
  for (const monitor of seen.all('PodMonitor')) {
    for (const workload of seen.workloads) {
      if (!isScraped(monitor, workload.peer.pod?.namespace, workload.labels)) continue;
      for (const endpoint of raw(monitor).spec.podMetricsEndpoints ?? []) {
        const wanted = endpoint.portNumber ?? endpoint.port ?? endpoint.targetPort;
        const port = workload.ports.find(({ name, number }) => name === wanted || number === wanted);
        if (port && workload.isReady) scrapes.push({ name: workload.name, what: whatOf(port.number, endpoint), monitor });
      }
    }
  }
  for (const name of new Set(seen.workloads.map((one) => one.name))) {
    const own = scrapes.filter((one) => one.name === name);
    if (own.length > 0)
      say(
        `what is scraped of ${name}`,
        'monitor',
        own.map(({ what }) => what),
        own.map(({ monitor }) => monitor),
      );
  }
}

const whatOf = (number: unknown, { path = '/metrics', scheme = 'http' }: Raw): string => `${scheme}:${number}${path}`;

function isScraped(monitor: KubeObject, namespace: string | undefined, labels: Labels): boolean {
  const { selector, namespaceSelector } = raw(monitor).spec;
  const isNamespace = namespaceSelector?.any || (namespaceSelector?.matchNames ?? [monitor.metadata.namespace]).includes(namespace);
  return isNamespace && selects(selector ?? {}, labels);
}

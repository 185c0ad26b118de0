import type { KubeObject, Labels } from '../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import type { ContainerPort, Peer } from './network-policy.ts';

/** The application whose Canary arrives. */
export interface Application {
  namespace: string;
  target: string;
  apex: string;
  /** Port of the apex Service that the Canary names. */
  port: number;
  /** Istio routes requests of clients. */
  hasMesh: boolean;
  /** Deployments beside it that have a Canary of their own: target and primary count as one. */
  others?: readonly string[];
}

/** Pods of one template. */
export interface Workload {
  /** `APPLICATION` for target, primary and canary. */
  name: string;
  kind: string;
  side: 'target' | 'primary' | undefined;
  isReady: boolean;
  labels: Labels;
  peer: Peer;
  ports: readonly ContainerPort[];
}

/** All objects of the cluster at one moment, and the pods that there are by them. */
export interface Seen {
  app: Application;
  workloads: readonly Workload[];
  all(kind: string): readonly KubeObject[];
  /** In the application's namespace. */
  own(kind: string): readonly KubeObject[];
}

export const APPLICATION = 'application';
const WITH_PODS = /^(Deployment|StatefulSet|DaemonSet)$/;

export function look(objects: readonly KubeObject[], app: Application): Seen {
  const byKind = Map.groupBy(objects, ({ kind }) => kind);
  const all = (kind: string) => byKind.get(kind) ?? [];
  const own = (kind: string) => all(kind).filter(({ metadata }) => metadata.namespace === app.namespace);
  const namespaceLabels = (name: string): Labels => ({
    ...all('Namespace').find(({ metadata }) => metadata.name === name)?.metadata.labels,
    'kubernetes.io/metadata.name': name,
  });
  const workloads = objects.flatMap((object, index) => {
    const { namespace = '', name } = object.metadata;
    if (!WITH_PODS.test(object.kind) || raw(object).spec.replicas === 0) return [];
    const { metadata, spec } = raw(object).spec.template;
    const labels: Labels = metadata?.labels ?? {};
    const isSide = object.kind === 'Deployment' && namespace === app.namespace;
    const side = isSide && name === app.target ? 'target' : isSide && name === `${app.target}-primary` ? 'primary' : undefined;
    const ofOther = isSide ? app.others?.find((other) => name === `${other}-primary`) : undefined;
    const known = side ? APPLICATION : (ofOther ?? name);
    const workload: Workload = {
      name: known,
      kind: object.kind,
      side,
      isReady: object.kind !== 'Deployment' || (raw(object).status?.availableReplicas ?? 0) > 0,
      labels,
      peer: {
        name: known,
        pod: { namespace, namespaceLabels: namespaceLabels(namespace), labels },
        address: `10.244.${index >> 8}.${index & 255}`,
      },
      ports: portsOf(spec),
    };
    return [workload];
  });
  return { app, workloads, all, own };
}

/** Ports of init containers count if these stay as sidecars. */
function portsOf(spec: Raw): ContainerPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }: Raw) => restartPolicy === 'Always');
  return [...(spec.containers ?? []), ...sidecars].flatMap(({ ports }: Raw) =>
    (ports ?? []).map(({ name, containerPort, protocol = 'TCP' }: Raw) => ({ ...(name && { name }), number: containerPort, protocol })),
  );
}

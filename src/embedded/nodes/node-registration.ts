import { asNode } from '../../api/kinds/node.ts';
import type { Labels, ObjectRef } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { secondsText } from '../world.ts';

const LEASE_NAMESPACE = 'kube-node-lease';
/** The kubelet's default; the node lifecycle controller waits four times as long. */
export const LEASE_RENEW_MS = 10_000;

export interface NodeIdentity {
  name: string;
  zone: string;
  ip: string;
  /** More labels, by which pods may choose. */
  labels?: Labels;
}

/** Makes the Node, or makes an existing one Ready again. */
export async function registerNode(cluster: Cluster, clock: Clock, { name, zone, ip, labels: more }: NodeIdentity): Promise<void> {
  const labels = {
    ...more,
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'topology.kubernetes.io/zone': zone,
    'topology.kubernetes.io/region': 'embedded',
  };
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  if (await cluster.get(ref)) await cluster.patch(ref, { metadata: { labels } });
  else await cluster.create({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} });
  const capacity = { cpu: '64', memory: '256Gi', pods: '1000', 'ephemeral-storage': '1Ti' };
  const now = secondsText({ clock });
  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    message: reason,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  const status = {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: ip },
      { type: 'Hostname', address: name },
    ],
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
      condition('Ready', 'True', 'KubeletReady'),
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: 'serin://1',
      kernelVersion: '',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.34.0-serin',
      machineID: name,
      operatingSystem: 'linux',
      osImage: '',
      systemUUID: name,
    },
  };
  await cluster.patch(ref, { status }, { subresource: 'status' });
  await removeNotReadyTaint(cluster, ref);
}

/** A real server taints each new Node; the node lifecycle controller, which we also replace, removes the taint from a ready Node. */
async function removeNotReadyTaint(cluster: Cluster, ref: ObjectRef): Promise<void> {
  const node = await cluster.get(ref);
  const taints = (node && asNode(node).spec?.taints) ?? [];
  const rest = taints.filter(({ key }) => key !== 'node.kubernetes.io/not-ready');
  if (rest.length < taints.length) await cluster.patch(ref, { spec: { taints: rest.length === 0 ? null : rest } });
}

/** Renews a node's heartbeat; makes the lease, and its namespace, the first time. */
export async function renewLease(cluster: Cluster, clock: Clock, node: string): Promise<void> {
  const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: node, namespace: LEASE_NAMESPACE };
  const renewTime = new Date(clock.nowMs()).toISOString().replace('Z', '000Z');
  if (await cluster.get(ref)) {
    await cluster.patch(ref, { spec: { renewTime } });
    return;
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name: LEASE_NAMESPACE };
  if (!(await cluster.get(namespace))) await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: LEASE_NAMESPACE } });
  const spec = { holderIdentity: node, leaseDurationSeconds: 40, renewTime };
  await cluster.create({ apiVersion: ref.apiVersion, kind: ref.kind, metadata: { name: node, namespace: LEASE_NAMESPACE }, spec });
}

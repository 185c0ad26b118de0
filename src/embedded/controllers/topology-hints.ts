import type { DiscoveryEndpoint } from '../../api/kinds/endpoint-slice.ts';
import type { Node } from '../../api/kinds/node.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseQuantity } from '../../api/quantity.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];
/** Excess over its share of requests that an endpoint can get before hints do more harm than good. */
const OVERLOAD = 0.2;

export type HintedEndpoint = Pick<DiscoveryEndpoint, 'nodeName' | 'zone' | 'hints'> & { conditions: { ready: boolean } };

/** `service.kubernetes.io/topology-mode: Auto`, or its older name: the control plane weighs zones by their CPUs. */
export function isAutomatic({ metadata }: KubeObject): boolean {
  const { annotations = {} } = metadata;
  const mode = annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto';
}

/** Each endpoint its own zone and, for `PreferSameNode`, node. Source: the trafficDistribution of kube-controller-manager. */
export function hintNear(endpoints: readonly HintedEndpoint[], distribution: string | undefined): void {
  if (!['PreferClose', 'PreferSameZone', 'PreferSameNode'].includes(distribution ?? '')) return;
  for (const endpoint of endpoints) {
    const { zone, nodeName } = endpoint;
    const hints = {
      ...(zone ? { forZones: [{ name: zone }] } : {}),
      ...(nodeName && distribution === 'PreferSameNode' ? { forNodes: [{ name: nodeName }] } : {}),
    };
    if (endpoint.conditions.ready && Object.keys(hints).length > 0) endpoint.hints = hints;
  }
}

/**
 * Shares endpoints among zones by the CPUs of their nodes, and hints nothing where that would overload one. Source: Kubernetes documentation,
 * "Topology Aware Routing", and the topology cache of kube-controller-manager, whose steps these are.
 */
export function hintByCpu(endpoints: readonly HintedEndpoint[], nodes: readonly Node[]): void {
  const ready = endpoints.filter(({ conditions }) => conditions.ready);
  const wanted = sharesOf(ready.length, cpuShares(nodes));
  if (!wanted || ready.some(({ zone }) => !zone)) return;
  for (const endpoint of ready) endpoint.hints = { forZones: [{ name: endpoint.zone ?? '' }] };
  const moves = movesFor(ready, wanted);
  for (const { from, to } of moves) {
    const moved = ready.find(({ zone, hints }) => zone === from && hints?.forZones?.[0]?.name === from);
    if (moved) moved.hints = { forZones: [{ name: to }] };
  }
}

/** Part of all CPUs by zone; undefined where a ready node reports neither its zone nor its CPUs. */
function cpuShares(nodes: readonly Node[]): Map<string, number> | undefined {
  const cpus = new Map<string, number>();
  for (const node of nodes) {
    const { zone, isReady, cpu } = topologyIn(node);
    if (CONTROL_PLANE.some((label) => label in (node.metadata.labels ?? {})) || !isReady) continue;
    if (!zone || cpu === 0) return undefined;
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu);
  }
  const total = [...cpus.values()].reduce((sum, one) => sum + one, 0);
  return new Map([...cpus].map(([zone, cpu]) => [zone, cpu / total]));
}

function topologyIn({ metadata, status }: Node): { zone: string; isReady: boolean; cpu: number } {
  const { conditions = [] } = status ?? {};
  return {
    zone: metadata.labels?.[ZONE] ?? '',
    isReady: conditions.some((one) => one.type === 'Ready' && one.status === 'True'),
    cpu: parseQuantity(status?.allocatable?.cpu ?? '') ?? 0,
  };
}

/** The fields of a node that hints depend on, as text to compare. */
export function topologyOf(node: Node | undefined): string {
  return node === undefined ? '' : JSON.stringify(topologyIn(node));
}

/** Number of endpoints for each zone, `undefined` if there are too few to give each zone its part. */
function sharesOf(count: number, shares: Map<string, number> | undefined): Map<string, number> | undefined {
  if (!shares || shares.size < 2 || shares.size > count) return undefined;
  const wanted = new Map<string, number>();
  let least = 0;
  for (const [zone, share] of shares) {
    const minimum = Math.ceil((share * count) / (1 + OVERLOAD));
    least += minimum;
    wanted.set(zone, Math.max(share * count, minimum));
  }
  return least > count ? undefined : wanted;
}

function movesFor(ready: readonly HintedEndpoint[], wanted: ReadonlyMap<string, number>): { from: string; to: string }[] {
  const spare = new Map<string, number>();
  for (const [zone, want] of wanted) spare.set(zone, ready.filter((each) => each.zone === zone).length - want);
  const moves: { from: string; to: string }[] = [];
  for (;;) {
    const ordered = [...spare].toSorted(([, a], [, b]) => b - a);
    const [most, least] = [ordered[0], ordered.at(-1)];
    if (!most || !least || most[1] < 1 || least[1] > -1) return moves;
    moves.push({ from: most[0], to: least[0] });
    spare.set(most[0], most[1] - 1);
    spare.set(least[0], least[1] + 1);
  }
}

import type { Agent } from 'node:http';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import type { NetworkPolicies } from '../network-policy/index.ts';
import type { World } from '../world.ts';
import type { ClientAffinity } from './client-affinity.ts';
import type { DestinationState } from './destination-policy.ts';
import type { LaggedView } from './lagged-view.ts';
import type { ResolvedRoute } from './resolved-route.ts';
import type { ProxyLocation } from './service-proxy.ts';
import type { MeshAnswer } from './traffic-metrics.ts';

export interface ProxyContext {
  view: LaggedView;
  random(): number;
  /** Its node; only the Service proxy's rules use it: meshes balance by their own. */
  place(): ProxyLocation;
  /** The loopback port behind a made-up pod address: wiring of the embedded cluster, so never lagged. */
  portOf(ip: string): number | undefined;
  /** Keeps connections to pods; without it, each request has its own. */
  agent?: Agent;
  world?: World;
  podOf(namespace: string, name: string): KubeObject | undefined;
  /** Without policies all connections are allowed. */
  policies?: Pick<NetworkPolicies, 'refusal'>;
  onAnswer(answered: ReportedAnswer, route?: ResolvedRoute): void;
}

/** `count`: so many requests alike; default 1. */
export type ReportedAnswer = MeshAnswer & { isMirror: boolean; reason?: string | undefined; count?: number };

export type ProxyState = ProxyContext & { affinity: ClientAffinity; destinations: DestinationState; clock: Clock; pods: Agent };

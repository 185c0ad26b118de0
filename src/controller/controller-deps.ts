import type { Canary } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Phase } from '../api/phase.ts';
import type { ReadSecret } from '../api/secret-use.ts';
import type { Clock } from '../base/clock.ts';
import type { JournalMemory } from '../engine/journal/journal-memory.ts';
import type { Announcement } from '../engine/reasons.ts';
import type { Compared, Measured, ToCompare } from '../judge/compared.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { InvolvedObject } from '../kube/events.ts';
import type { AskCluster } from '../metrics/http/ask-cluster.ts';
import type { AddressPolicy } from '../outgoing/address-policy.ts';
import type { TimeCall } from '../webhooks/call-webhook.ts';
import type { Anchors } from './adoption/anchors.ts';
import type { SecretSalts } from './adoption/secret-salts.ts';
import type { ControllerConfig } from './config.ts';
import type { ApplicationReads } from './facts/application.ts';
import type { Log } from './log.ts';
import type { DeliveryQueue } from './notifications/delivery-queue.ts';
import type { CallsOf } from './outgoing/outgoing-calls.ts';
import type { ControllerMetrics } from './telemetry/controller-metrics.ts';
import type { ClusterView } from './watch/cluster-view.ts';
import type { ConfigWatches } from './watch/config-watches.ts';
import type { PodWatches } from './watch/pod-watches.ts';

/** Some of the dependencies, with the signal that ends the work. */
export type DepsOf<Name extends keyof ControllerDeps> = Pick<ControllerDeps, Name> & { signal: AbortSignal };

/** Basics of a controller: its settings, its time, its log, and its permission to write. */
export interface ProcessDeps {
  readonly config: ControllerConfig;
  /** Decides which addresses are called for tenants. */
  readonly addresses: AddressPolicy;
  /** Version of Serin. */
  readonly version: string;
  /** Names this process in what it writes. */
  readonly writer: string;
  readonly clock: Clock;
  /** Time by which the clock is ahead of the API server's, as far as that is known. Milliseconds. */
  clockAheadMs(): number;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  cookieWord(): string;
  readonly log: Log;
  readonly metrics: Pick<ControllerMetrics, 'tickBegan' | 'tickEnded' | 'tickFailed' | 'decisionUnmoved' | 'primaryKept'> & {
    phaseChanged(canary: Canary, phase: Phase): void;
  };
  /** The lease is ours and will be for as long as a write can take. */
  mayWrite(): boolean;
  /** The same, also while this process stops. */
  isLeading(): boolean;
}

/** The cluster, and what is known of it. */
export interface ClusterDeps {
  /** Requests that are not for objects, such as logs; undefined if none is possible. */
  askCluster?: AskCluster | undefined;
  readonly cluster: Cluster;
  readonly view: ClusterView;
  readonly anchors: Anchors;
  readonly salts: Pick<SecretSalts, 'of' | 'store' | 'inherit' | 'forget'>;
  readonly configWatches: ConfigWatches;
  readonly podWatches: PodWatches;
  readonly applications: ApplicationReads;
  /** The objects of this spec are looked at, though the Canary has another one. */
  track(canary: Canary, raw: KubeObject): void;
  /** Of the spec whose objects are looked at, by `namespace/name`. */
  trackedGeneration(key: string): number | undefined;
  /** An older Canary on the same target or apex, as `namespace/name`. */
  olderRival(canary: Canary): string | undefined;
}

/** Judges a version, and keeps its journal. */
export interface MeasureDeps {
  /** The checks, and with `compare` the counts of both sides at the same moment. `onQuery` gets each rendered query. */
  measure(
    canary: Canary,
    compare: readonly ToCompare[] | undefined,
    signal: AbortSignal,
    onQuery?: (query: string) => void,
  ): Promise<Measured>;
  /** Reads counts of both sides; what cannot be read is `unknown`. */
  compare(canary: Canary, asked: readonly ToCompare[], signal: AbortSignal, onQuery?: (query: string) => void): Promise<Compared[]>;
  /** Reason why a backend of the Canary's metrics cannot be queried, `undefined` if all can. Never throws. */
  findOffline(canary: Canary, signal: AbortSignal): Promise<string | undefined>;
  readonly journalMemory: JournalMemory;
}

/** Webhooks, events and alerts. */
export interface MessageDeps {
  readonly deliveries: DeliveryQueue;
  /** Decoded, and never kept. */
  readonly secret: ReadSecret;
  /** Connections and turns for calls of webhooks. */
  readonly callsOf?: CallsOf;
  /** The same for gates. */
  readonly gatesOf?: CallsOf;
  /** Takes the time of calls of webhooks. */
  readonly timeCall?: TimeCall;
  /** There is a receiver for the alerts of Canaries that name none. */
  readonly globalAlerts: boolean;
  /** Event and event webhooks of something that happened; never waits. */
  announce(canary: Canary, announcement: Announcement): void;
  /** The same for a Canary that could not be parsed. */
  announceOn(canary: InvolvedObject, announcement: Announcement): void;
}

/** Dependencies that the processes of all Canaries share. */
export type ControllerDeps = ProcessDeps & ClusterDeps & MeasureDeps & MessageDeps;

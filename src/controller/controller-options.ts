import type { Clock } from '../base/clock.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { KubeCluster } from '../kube/kube-cluster.ts';
import type { MessageTemplates } from '../notifiers/message-templates.ts';
import type { Notifier } from '../notifiers/notifier.ts';
import type { OutgoingConnection } from '../outgoing/connection.ts';
import type { ControllerConfig } from './config.ts';
import type { Log } from './log.ts';
import type { OutgoingCalls } from './outgoing/outgoing-calls.ts';
import type { ControllerMetrics } from './telemetry/controller-metrics.ts';
import type { Shard } from './watch/canary-slice.ts';
import type { KindWatches } from './watch/kind-watches.ts';

/** Parts that the controllers of one process have in common. */
export interface SharedParts {
  kinds: KindWatches;
  calls: OutgoingCalls;
}

export interface ControllerOptions {
  config: ControllerConfig;
  /** Version of Serin, for its records. */
  version?: string;
  /** Names this process; random when absent. */
  identity?: string;
  /** Makes a text that no one guesses; default: of sixteen random hexadecimal digits. */
  word?: () => string;
  /** Agents for calls that are not made by TCP. */
  agents?: OutgoingConnection['agent'] | undefined;
  /** A cluster that cannot send raw requests cannot query the metric backends in it. */
  cluster: Cluster & Partial<Pick<KubeCluster, 'ask'>>;
  clock: Clock;
  /** 0 ≤ x < 1, for pauses between retries. */
  random: () => number;
  log: Log;
  metrics: ControllerMetrics;
  notifier?: Notifier;
  /** Texts of alerts that the operator has chosen. */
  messageTemplates?: MessageTemplates | undefined;
  /** Credentials of the global metrics server, as a Secret would hold them. */
  metricsServerSecret?: (() => Promise<Readonly<Record<string, string>> | undefined>) | undefined;
  /** Default: all Canaries. */
  shard?: Shard;
  /** Shared by the controllers of one process, one for each shard. */
  shared?: SharedParts;
  /** True if the lease allows a write now. Always true without leader election. */
  mayWrite?: () => boolean;
}

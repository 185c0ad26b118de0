import type { Provider, TargetRef } from '../api/canary.ts';
import type { MeshProvider } from '../api/mesh-provider.ts';
import type { Observer } from '../api/observer.ts';
import type { ReadSecret } from '../api/secret-use.ts';
import type { Turns } from '../api/turns.ts';
import type { Clock } from '../base/clock.ts';
import type { EgressPolicy } from '../outgoing/connection.ts';
import type { AskCluster } from './http/ask-cluster.ts';
import type { Measurement } from './providers/metric-provider.ts';

/** Called before a query to a backend of this type; the returned function is called with the result, unless the query was cancelled. */
export type TimeQuery = (backend: string) => (result: Measurement['kind']) => void;

/** Dependencies of a measurement. */
export interface MeasureDependencies {
  /** Address for built-in and inline queries, unless the Canary names its own. */
  metricsServer: string;
  /** Credentials for `metricsServer`, in the form of a Secret; read for each query. */
  metricsServerSecret?: (() => Promise<Readonly<Record<string, string>> | undefined>) | undefined;
  /** The global provider; with `spec.provider` it decides which built-in queries are run. */
  meshProvider: MeshProvider;
  /** The built-in queries for a provider and kind of target. */
  observerFor(provider: Provider, targetKind: TargetRef['kind']): Observer;
  /** The MetricTemplate as raw JSON; undefined when not found. */
  template(namespace: string, name: string): Promise<unknown>;
  /** Called after each query of a template, with a reason if its backend did not answer. */
  templateAsked?: ((template: { namespace: string; name: string }, problem: string | undefined) => void) | undefined;
  /** References to MetricTemplates of other namespaces are refused. */
  noForeignRefs?: boolean | undefined;
  secret: ReadSecret;
  /** Sends requests to the API server, for backends in the cluster; without it they cannot be queried. */
  askCluster?: AskCluster | undefined;
  /** The value of `{{ route }}`, if the target's own controller names the measured object: Knative's Revision. */
  route?: string | undefined;
  /** The same for the primary. */
  primaryRoute?: string | undefined;
  signal: AbortSignal;
  nowMs: number;
  /** Limits each query; default: the clock of the machine. */
  clock?: Clock | undefined;
  /** Time limit of each query. */
  timeoutMs: number;
  /** Egress policy for the addresses of Canaries and templates; default: direct. */
  egress?: EgressPolicy | undefined;
  /** The same for `metricsServer`. */
  ownEgress?: EgressPolicy | undefined;
  /** Times at which queries can start; default: at once. */
  turns?: Turns | undefined;
  /** Records the duration of each query; default: off. */
  timeQuery?: TimeQuery | undefined;
  /** Called with each rendered query, shortened for display. */
  queryAsked?: ((query: string) => void) | undefined;
  /** Also run the built-in queries for the primary. */
  baselines?: boolean;
}

import type { Provider, TargetRef } from '../api/canary.ts';
import type { MeshProvider } from '../api/mesh-provider.ts';
import type { Observer } from '../api/observer.ts';
import type { ReadSecret } from '../api/secret-use.ts';
import type { Turns } from '../api/turns.ts';
import type { Clock } from '../base/clock.ts';
import type { EgressPolicy } from '../outgoing/connection.ts';
import type { AskCluster } from './http/ask-cluster.ts';
import type { Measurement } from './providers/metric-provider.ts';

/** Called before a query to a backend of this type; the function that it returns is called with the result, unless the query was cancelled. */
export type TimeQuery = (backend: string) => (result: Measurement['kind']) => void;

/** Dependencies of a measurement. */
export interface MeasureDependencies {
  /** Address for built-in and inline queries, unless the Canary names its own. */
  metricsServer: string;
  /** Credentials for `metricsServer`, as a Secret would hold them; read for each query. */
  metricsServerSecret?: (() => Promise<Readonly<Record<string, string>> | undefined>) | undefined;
  /** The global one; with `spec.provider` it decides whose built-in queries are asked. */
  meshProvider: MeshProvider;
  /** The built-in queries for a provider and kind of target. */
  observerFor(provider: Provider, targetKind: TargetRef['kind']): Observer;
  /** The MetricTemplate as raw JSON; undefined when not found. */
  template(namespace: string, name: string): Promise<unknown>;
  /** Called after each query of a template: whether its backend answered, or why not. */
  templateAsked?: ((template: { namespace: string; name: string }, problem: string | undefined) => void) | undefined;
  /** References to MetricTemplates of other namespaces are refused (05-T23). */
  noForeignRefs?: boolean | undefined;
  secret: ReadSecret;
  /** The API server, for backends that live in the cluster; without it they cannot be asked. */
  askCluster?: AskCluster | undefined;
  /** The value of `{{ route }}`, where the target's own controller names what is measured: Knative's Revision. */
  route?: string | undefined;
  /** The same for the primary. */
  primaryRoute?: string | undefined;
  signal: AbortSignal;
  nowMs: number;
  /** Bounds each query; default: the machine's. */
  clock?: Clock | undefined;
  /** For each query. */
  timeoutMs: number;
  /** How the addresses of Canaries and templates are reached; default: straight. */
  egress?: EgressPolicy | undefined;
  /** The same for `metricsServer`. */
  ownEgress?: EgressPolicy | undefined;
  /** When queries may begin; default: at once. */
  turns?: Turns | undefined;
  /** Takes the time of each query (06-F13); default: off. */
  timeQuery?: TimeQuery | undefined;
  /** Called with each rendered query, shortened for display. */
  queryAsked?: ((query: string) => void) | undefined;
  /** Ask the built-in queries for the primary, too. */
  baselines?: boolean;
}

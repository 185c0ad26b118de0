import type { Canary } from '../../api/canary.ts';
import { findOffline } from '../../metrics/find-offline.ts';
import type { AskCluster } from '../../metrics/http/ask-cluster.ts';
import { compare, measure } from '../../metrics/measure.ts';
import type { MeasureDependencies } from '../../metrics/measure-dependencies.ts';
import { observerFor } from '../../routers/index.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { ControllerDeps, MeasureDeps } from '../controller-deps.ts';
import type { ProviderConditions } from '../notifications/provider-conditions.ts';
import { answeringOf } from '../notifications/provider-findings.ts';
import type { CallsOf } from '../outgoing/outgoing-calls.ts';
import { secretReader } from '../outgoing/read-secret.ts';
import type { ControllerMetrics } from '../telemetry/controller-metrics.ts';

const TEMPLATE = { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate' } as const;
const TIMEOUT_MS = 10_000;

interface MeasuringDeps extends Pick<ControllerDeps, 'config' | 'cluster' | 'view' | 'clock'> {
  metrics: Pick<ControllerMetrics, 'measured' | 'timeQuery'>;
  conditions: ProviderConditions;
  askCluster: AskCluster | undefined;
  metricsServerSecret: (() => Promise<Readonly<Record<string, string>> | undefined>) | undefined;
  callsOf: CallsOf;
}

/** Measures the checks of Canaries, with the controller's knowledge of the cluster and its flags. */
export function makeMeasurer(deps: MeasuringDeps): Omit<MeasureDeps, 'journalMemory'> {
  const { config, cluster, view, clock, metrics, conditions, askCluster, metricsServerSecret, callsOf } = deps;
  const timeQuery = metrics.timeQuery(clock);
  const dependencies = ({ metadata: { namespace: own } }: Canary, signal: AbortSignal): MeasureDependencies => {
    return {
      observerFor,
      meshProvider: config.meshProvider,
      metricsServer: config.metricsServer,
      metricsServerSecret,
      noForeignRefs: config.noCrossNamespaceRefs,
      template: async (namespace, name) => view.find({ ...TEMPLATE, namespace, name })?.object,
      templateAsked(ref, problem) {
        const template = view.find({ ...TEMPLATE, ...ref })?.object;
        if (template) conditions.report(template, answeringOf(problem));
      },
      secret: secretReader(cluster, config, signal),
      askCluster,
      ...callsOf(own),
      signal,
      nowMs: clock.nowMs(),
      clock,
      timeoutMs: TIMEOUT_MS,
    };
  };
  const measured = (canary: Canary, signal: AbortSignal): MeasureDependencies => {
    const workload = workloadFor(canary.spec.targetRef);
    const target = 'unsupported' in workload ? undefined : view.find(workload.targetRef(canary));
    const route = target && !('unsupported' in workload) ? workload.measuredAs?.(target.object) : undefined;
    const primaryRoute = target && !('unsupported' in workload) ? workload.primaryMeasuredAs?.(target.object) : undefined;
    return { ...dependencies(canary, signal), route, primaryRoute, timeQuery };
  };
  return {
    async measure(canary, toCompare, signal, queryAsked) {
      const deps = { ...measured(canary, signal), queryAsked };
      const checked = async () => {
        // The value of the primary at the same time is shown beside it, for a comparison by eye.
        const verdicts = await measure(canary, { ...deps, baselines: true });
        // A superseded measurement decides nothing.
        if (!signal.aborted) metrics.measured(canary, verdicts);
        return verdicts;
      };
      const [verdicts, compared] = await Promise.all([checked(), toCompare && compare(canary, toCompare, deps)]);
      return { verdicts, ...(compared && { compared }) };
    },
    compare: (canary, asked, signal, queryAsked) => compare(canary, asked, { ...measured(canary, signal), queryAsked }),
    findOffline: (canary, signal) => findOffline(canary, dependencies(canary, signal)),
  };
}

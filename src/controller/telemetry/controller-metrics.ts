import { Registry } from '@prometheus-io/client';
import type { MeshProvider } from '../../api/mesh-provider.ts';
import { runtimeMetrics } from '../../base/runtime-metrics.ts';
import { callMetrics } from './call-metrics.ts';
import { canaryMetrics, type ShownCanary } from './canary-metrics.ts';
import { OwnedSeries } from './owned-series.ts';
import { processMetrics } from './process-metrics.ts';
import { releaseMetrics } from './release-metrics.ts';
import { tickMetrics } from './tick-metrics.ts';
import { verdictMetrics } from './verdict-metrics.ts';

/** The metrics of the controller, under Flagger's names and some of our own: docs/observability.md. */
export function createControllerMetrics(version: string) {
  const registry = new Registry();
  runtimeMetrics(registry);
  const series = new OwnedSeries();
  const { standsBy, started, ...process } = processMetrics(registry, version);
  let mesh: MeshProvider | undefined;
  const { seen, forget, forgetAll, counted, primaryKept } = canaryMetrics(registry, () => mesh);
  return {
    registry,
    ...process,
    ...releaseMetrics(registry, series),
    ...verdictMetrics(registry, series),
    ...tickMetrics(registry, series),
    ...callMetrics(registry),
    counted,
    primaryKept,
    /** The provider of Canaries that name none. */
    started(meshProvider: MeshProvider): void {
      mesh = meshProvider;
      started(meshProvider);
    },
    /** The Canary as stored now. Other calls for a Canary that was never seen, or is gone, are not counted. */
    seen(canary: ShownCanary, nowMs: number): void {
      series.begin(canary);
      seen(canary, nowMs);
    },
    /** A Canary that is gone leaves no series behind. */
    gone(key: { namespace: string; name: string }): void {
      series.end(key);
      forget(key);
    },
    /** Another replica exports the Canaries from now on. */
    stopped(): void {
      series.endAll();
      forgetAll();
      standsBy();
    },
  };
}
export type ControllerMetrics = ReturnType<typeof createControllerMetrics>;

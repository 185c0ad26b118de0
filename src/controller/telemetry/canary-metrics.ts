import type { Gauge, Registry } from '@prometheus-io/client';
import type { NamedProvider } from '../../api/canary.ts';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { parseDuration } from '../../api/duration.ts';
import { isName } from '../../api/host-name.ts';
import { type MeshProvider, observedProvider } from '../../api/mesh-provider.ts';
import { metersIn } from '../../api/meters.ts';
import type { Phase } from '../../api/phase.ts';
import { measuredNames } from '../../metrics/query-variables.ts';
import type { OwnedSeries } from './owned-series.ts';

const STATUS: Partial<Record<Phase, number>> = { Progressing: 0, Failed: 2 };

type Ref = { name?: string | undefined } | undefined;

/** A Canary as its metrics need it, though its spec could not be run: such a one has no `service`. */
export interface ShownCanary {
  metadata: { namespace: string; name: string; uid: string };
  spec: {
    targetRef: { name: string; kind?: string };
    analysis?: { interval?: string };
    provider?: NamedProvider | undefined;
    service?: NonNullable<Ref>;
    ingressRef?: Ref;
    routeRef?: Ref;
  };
  status?: CanaryStatus | undefined;
}

/** Gauges of each Canary's status, set when it changes and at the start. */
export function canaryMetrics(registry: Registry, series: OwnedSeries, meshProvider: () => MeshProvider | undefined) {
  const { gauge } = metersIn(registry);
  const total = gauge('flagger_canary_total', 'Canaries by namespace', ['namespace']);
  const status = gauge('flagger_canary_status', '0 Progressing, 2 Failed, 1 any other phase but Initializing', ['name', 'namespace']);
  const weights = gauge('flagger_canary_weight', 'Percent of traffic', ['workload', 'namespace']);
  const phases = gauge('flagger_canary_phase', '1 for the phase that the Canary is in', ['name', 'namespace', 'phase']);
  const ofConditions = '1 for each condition of the Canary, as it stands';
  const conditions = gauge('flagger_canary_condition', ofConditions, ['name', 'namespace', 'type', 'status', 'reason']);
  const unmeasured = gauge('flagger_canary_unmeasured_checks', 'Checks of the last tick that could not be measured', ['name', 'namespace']);
  const ofAdvances = 'When phase, step, weight or iterations were last seen to change; at first the start of the controller';
  const advanced = gauge('flagger_canary_last_advance_timestamp_seconds', ofAdvances, ['name', 'namespace']);
  const interval = gauge('flagger_canary_interval_seconds', 'analysis.interval', ['name', 'namespace']);
  const ofInfo = '1, with the Canary of a target, whose built-in queries judge it, and the names that they go by';
  const named = ['name', 'namespace', 'canary', 'kind', 'provider', 'service', 'ingress', 'route'] as const;
  const info = gauge('flagger_canary_info', ofInfo, named);
  const counts = new Map<string, number>();
  const stands = new Map<string, string>();
  const forget = ({ namespace, name }: { namespace: string; name: string }): void => {
    stands.delete(`${namespace}/${name}`);
  };
  return {
    /** One Canary more or less. A namespace without any has no series. */
    counted(namespace: string, change: 1 | -1): void {
      const count = (counts.get(namespace) ?? 0) + change;
      if (count > 0) {
        counts.set(namespace, count);
        total.set({ namespace }, count);
      } else {
        counts.delete(namespace);
        total.remove({ namespace });
      }
    },
    /** The Canary as it is stored now. */
    seen(canary: ShownCanary, nowMs: number): void {
      const { namespace, name } = canary.metadata;
      const labels = { name: canary.spec.targetRef.name, namespace };
      const now = canary.status;
      if (now === undefined) return;
      const set = (metric: Gauge<'name' | 'namespace'>, value: number): void => series.set(canary, metric, [{ labels, value }]);
      if (now.phase !== '' && now.phase !== 'Initializing') set(status, STATUS[now.phase] ?? 1);
      series.set(canary, phases, now.phase === '' ? [] : [{ labels: { ...labels, phase: now.phase }, value: 1 }]);
      series.set(canary, weights, [
        { labels: { workload: `${labels.name}-primary`, namespace }, value: 100 - now.canaryWeight },
        { labels: { workload: labels.name, namespace }, value: now.canaryWeight },
      ]);
      series.set(
        canary,
        conditions,
        (now.conditions ?? []).map(({ type, status, reason }) => ({ labels: { ...labels, type, status, reason }, value: 1 })),
      );
      const names = infoOf(canary, meshProvider());
      series.set(canary, info, now.phase === '' || names === undefined ? [] : [{ labels: { ...labels, ...names }, value: 1 }]);
      const verdicts = now.release?.verdicts ?? [];
      set(unmeasured, verdicts.filter(({ verdict, early, observed }) => verdict === 'unmeasured' && !early && !observed).length);
      set(interval, (parseDuration(canary.spec.analysis?.interval ?? '') ?? 0) / 1000);
      const stand = [canary.metadata.uid, labels.name, now.phase, now.release?.step, now.canaryWeight, now.iterations].join(' ');
      if (stands.get(`${namespace}/${name}`) !== stand) set(advanced, nowMs / 1000);
      stands.set(`${namespace}/${name}`, stand);
    },
    forget,
    forgetAll(): void {
      counts.clear();
      stands.clear();
      total.reset();
    },
  };
}

function infoOf({ metadata, spec }: ShownCanary, meshProvider: MeshProvider | undefined) {
  const { targetRef, service } = spec;
  if (service === undefined) return undefined;
  const { service: name, ingress, route } = measuredNames({ ...spec, service });
  return {
    ...{ canary: metadata.name, kind: targetRef.kind ?? '', provider: observedProvider(spec.provider, meshProvider) ?? '' },
    ...{ service: asName(name), ingress: asName(ingress), route: asName(route) },
  };
}

/** Dashboards write these into queries: a text that no object can be called by, in a spec that was refused, stays out. */
const asName = (text: string): string => (isName(text) ? text : '');

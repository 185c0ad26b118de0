import type { Registry } from '@prometheus-io/client';
import type { NamedProvider } from '../../api/canary.ts';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { parseDuration } from '../../api/duration.ts';
import { type MeshProvider, observedProvider } from '../../api/mesh-provider.ts';
import type { Phase } from '../../api/phase.ts';
import { isName } from '../../base/host-name.ts';
import { metersIn } from '../../base/meters.ts';
import { measuredNames } from '../../metrics/query-variables.ts';

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

type StoredCanary = ShownCanary & { status: CanaryStatus };

/** Gauges of each Canary's status, read at each scrape: ten thousand Canaries have a hundred thousand series. */
export function canaryMetrics(registry: Registry, meshProvider: () => MeshProvider | undefined) {
  const { gauge, gaugeRead } = metersIn(registry);
  const shown = new Map<string, { canary: StoredCanary; advancedMs: number }>();
  /** If two Canaries have the same target, of which Serin refuses one, the Canary that changed last counts. */
  const byTarget = () =>
    new Map(Array.from(shown.values(), (one) => [`${one.canary.metadata.namespace}/${one.canary.spec.targetRef.name}`, one])).values();
  const ofEach = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: (canary: StoredCanary, advancedMs: number) => readonly (readonly [Record<Label, string>, number])[],
  ) =>
    gaugeRead(name, help, ['name', 'namespace', ...labelNames], () =>
      byTarget().flatMap(({ canary, advancedMs }) => {
        const target = { name: canary.spec.targetRef.name, namespace: canary.metadata.namespace };
        return read(canary, advancedMs).map(([labels, value]) => [{ ...target, ...labels }, value] as const);
      }),
    );

  const total = gauge('flagger_canary_total', 'Canaries by namespace', ['namespace']);
  ofEach('flagger_canary_status', '0 Progressing, 2 Failed, 1 any other phase but Initializing', [], ({ status: { phase } }) =>
    phase === '' || phase === 'Initializing' ? [] : [[{}, STATUS[phase] ?? 1]],
  );
  gaugeRead('flagger_canary_weight', 'Percent of traffic', ['workload', 'namespace'], () =>
    byTarget().flatMap(({ canary: { metadata, spec, status } }) => {
      const { namespace } = metadata;
      const { name } = spec.targetRef;
      return [
        [{ workload: `${name}-primary`, namespace }, 100 - status.canaryWeight] as const,
        [{ workload: name, namespace }, status.canaryWeight] as const,
      ];
    }),
  );
  ofEach('flagger_canary_phase', '1 for the phase that the Canary is in', ['phase'], ({ status: { phase } }) =>
    phase === '' ? [] : [[{ phase }, 1]],
  );
  const ofConditions = '1 for each condition of the Canary, with its current status';
  ofEach('flagger_canary_condition', ofConditions, ['type', 'status', 'reason'], ({ status: { conditions = [] } }) =>
    conditions.map(({ type, status, reason }) => [{ type, status, reason }, 1]),
  );
  ofEach('flagger_canary_unmeasured_checks', 'Checks of the last interval that could not be measured', [], ({ status }) => {
    const verdicts = status.release?.verdicts ?? [];
    return [[{}, verdicts.filter(({ verdict, early, observed }) => verdict === 'unmeasured' && !early && !observed).length]];
  });
  const ofAdvances = 'When phase, step, weight or iterations were last seen to change; at first the start of the controller';
  ofEach('flagger_canary_last_advance_timestamp_seconds', ofAdvances, [], (_, advancedMs) => [[{}, advancedMs / 1000]]);
  ofEach('flagger_canary_interval_seconds', 'analysis.interval', [], ({ spec }) => [
    [{}, (parseDuration(spec.analysis?.interval ?? '') ?? 0) / 1000],
  ]);
  const ofInfo = '1, with the Canary of a target, the provider whose queries judge it, and the names in these queries';
  ofEach('flagger_canary_info', ofInfo, ['canary', 'kind', 'provider', 'service', 'ingress', 'route'], (canary) => {
    const names = infoOf(canary, meshProvider());
    return canary.status.phase === '' || names === undefined ? [] : [[names, 1]];
  });
  const kept = gauge('serin_kept_primary', '1 for each primary that keeps serving though its Canary was deleted', ['name', 'namespace']);
  const counts = new Map<string, number>();
  const forget = ({ namespace, name }: { namespace: string; name: string }): void => {
    shown.delete(`${namespace}/${name}`);
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
    /** The Canary as stored now. */
    seen(canary: ShownCanary, nowMs: number): void {
      const key = `${canary.metadata.namespace}/${canary.metadata.name}`;
      const before = shown.get(key);
      const isSame = before !== undefined && isSameTarget(before.canary, canary);
      if (!isSame || isStored(canary)) shown.delete(key);
      if (!isStored(canary)) return;
      const hasStayed = isSame && isSameStep(before.canary.status, canary.status);
      shown.set(key, { canary, advancedMs: hasStayed ? before.advancedMs : nowMs });
    },
    forget,
    /** Notes that the primary of a deleted Canary is kept: its target holds an unpromoted version. */
    primaryKept({ metadata: { namespace, name } }: { metadata: { namespace: string; name: string } }, isKept: boolean): void {
      if (isKept) kept.set({ name, namespace }, 1);
      else kept.remove({ name, namespace });
    },
    forgetAll(): void {
      kept.reset();
      counts.clear();
      shown.clear();
      total.reset();
    },
  };
}

const isStored = (canary: ShownCanary): canary is StoredCanary => canary.status !== undefined;

const isSameTarget = (one: ShownCanary, other: ShownCanary): boolean =>
  one.metadata.uid === other.metadata.uid && one.spec.targetRef.name === other.spec.targetRef.name;

const isSameStep = (one: CanaryStatus, other: CanaryStatus): boolean =>
  one.phase === other.phase &&
  one.release?.step === other.release?.step &&
  one.canaryWeight === other.canaryWeight &&
  one.iterations === other.iterations;

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

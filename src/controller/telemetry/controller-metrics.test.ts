import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { CanaryStatus, Verdict } from '../../api/canary-status.ts';
import { createControllerMetrics } from './controller-metrics.ts';

const START_MS = 1_000_000;
const AT = 'name="podinfo",namespace="test"';

function aStatus(status: Partial<CanaryStatus>): CanaryStatus {
  return { phase: 'Progressing', failedChecks: 0, canaryWeight: 0, iterations: 0, ...status };
}

function inRelease(status: Partial<CanaryStatus> = {}, canary: Canary = aCanary()): Canary {
  return { ...canary, status: aStatus(status) };
}

function started() {
  const metrics = createControllerMetrics('1.2.3');
  const lines = async (name: string) => (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return { metrics, lines };
}

it('flagger_info reports version and mesh provider', async () => {
  const { metrics, lines } = started();
  metrics.started('linkerd');
  expect(await lines('flagger_info')).toEqual(['flagger_info{version="1.2.3",mesh_provider="linkerd"} 1']);
});

it('I19: serin_kept_primary shows each primary that outlives its Canary, until it is handed over or another replica leads', async () => {
  const { metrics, lines } = started();
  const { metadata } = aCanary();
  metrics.primaryKept({ metadata }, true);
  metrics.gone(metadata);
  expect(await lines('serin_kept_primary')).toEqual([`serin_kept_primary{${AT}} 1`]);
  metrics.primaryKept({ metadata }, false);
  expect(await lines('serin_kept_primary')).toEqual([]);
  metrics.primaryKept({ metadata }, true);
  metrics.stopped();
  expect(await lines('serin_kept_primary')).toEqual([]);
});

it('flagger_canary_total counts by namespace, and a namespace that lost its last Canary has no series', async () => {
  const { metrics, lines } = started();
  metrics.counted('test', 1);
  metrics.counted('test', 1);
  metrics.counted('other', 1);
  metrics.counted('other', -1);
  expect(await lines('flagger_canary_total')).toEqual(['flagger_canary_total{namespace="test"} 2']);
});

it.each([
  { phase: 'Progressing', value: 0 },
  { phase: 'Failed', value: 2 },
  { phase: 'Waiting', value: 1 },
  { phase: 'Promoting', value: 1 },
  { phase: 'Succeeded', value: 1 },
] as const)('flagger_canary_status of a Canary found in $phase is $value', async ({ phase, value }) => {
  const { metrics, lines } = started();
  metrics.seen(inRelease({ phase }), START_MS);
  expect(await lines('flagger_canary_status')).toEqual([`flagger_canary_status{${AT}} ${value}`]);
  expect(await lines('flagger_canary_phase')).toEqual([`flagger_canary_phase{${AT},phase="${phase}"} 1`]);
});

it('a Canary that was not initialized has no status', async () => {
  const { metrics, lines } = started();
  metrics.seen(inRelease({ phase: 'Initializing' }), START_MS);
  expect(await lines('flagger_canary_status')).toEqual([]);
});

it('flagger_canary_weight reports both sides, also of what was found at the start', async () => {
  const { metrics, lines } = started();
  metrics.seen(inRelease({ canaryWeight: 30 }), START_MS);
  expect(await lines('flagger_canary_weight')).toEqual([
    'flagger_canary_weight{workload="podinfo-primary",namespace="test"} 70',
    'flagger_canary_weight{workload="podinfo",namespace="test"} 30',
  ]);
});

it('flagger_canary_duration_seconds is how long a tick took', async () => {
  const { metrics, lines } = started();
  metrics.seen(inRelease(), START_MS);
  metrics.tickEnded(inRelease(), 250);
  expect(await lines('flagger_canary_duration_seconds_sum')).toEqual([`flagger_canary_duration_seconds_sum{${AT}} 0.25`]);
});

it('flagger_canary_metric_analysis keeps the last value, of request-duration in seconds', async () => {
  const { metrics, lines } = started();
  metrics.seen(inRelease(), START_MS);
  metrics.measured(inRelease(), [
    { check: 'request-success-rate', verdict: 'passed', value: 99.5 },
    { check: 'request-duration', verdict: 'failed', value: 730 },
  ]);
  metrics.measured(inRelease(), [{ check: 'request-success-rate', verdict: 'unmeasured' }]);
  const of = (metric: string) => `flagger_canary_metric_analysis{name="podinfo",namespace="test",metric="${metric}"}`;
  expect(await lines('flagger_canary_metric_analysis')).toEqual([`${of('request-success-rate')} 99.5`, `${of('request-duration')} 0.73`]);
});

it('flagger_canary_metric_limit has the limits of the checks, those of request-duration in seconds', async () => {
  const { metrics, lines } = started();
  const canary = inRelease(
    {},
    aCanary({
      metrics: [
        { name: 'request-success-rate', threshold: 99 },
        { name: 'request-duration', thresholdRange: { max: 500 } },
        { name: 'queue', query: 'x', thresholdRange: { min: 1, max: 7 } },
      ],
    }),
  );
  metrics.seen(canary, START_MS);
  metrics.measured(canary, [{ check: 'queue', verdict: 'unmeasured' }]);
  const of = (metric: string, bound: string) => `flagger_canary_metric_limit{${AT},metric="${metric}",bound="${bound}"}`;
  expect(await lines('flagger_canary_metric_limit')).toEqual([
    `${of('request-success-rate', 'min')} 99`,
    `${of('request-duration', 'max')} 0.5`,
    `${of('queue', 'min')} 1`,
    `${of('queue', 'max')} 7`,
  ]);
  metrics.measured({ ...canary, spec: { ...canary.spec, analysis: { ...canary.spec.analysis, metrics: [] } } }, []);
  expect(await lines('flagger_canary_metric_limit')).toEqual([]);
});

it.each([
  { named: undefined, mesh: 'smi:v1alpha1:istio', provider: 'smi:v1alpha1' },
  { named: 'nginx', mesh: 'istio', provider: 'nginx' },
  { named: 'nginx', mesh: 'linkerd', provider: 'linkerd' },
] as const)('flagger_canary_info of provider $named beside $mesh names $provider, whose queries judge it', async (each) => {
  const { metrics, lines } = started();
  metrics.started(each.mesh);
  const spec = { ...(each.named && { provider: each.named }), ingressRef: { apiVersion: 'v1', kind: 'Ingress' as const, name: 'web' } };
  const canary = inRelease({}, aCanary({}, { ...spec, service: { port: 80, name: 'shop' } as Canary['spec']['service'] }));
  metrics.seen({ ...canary, metadata: { ...canary.metadata, name: 'release' } }, START_MS);
  const names = `canary="release",kind="Deployment",provider="${each.provider}",service="shop",ingress="web",route="podinfo"`;
  expect(await lines('flagger_canary_info')).toEqual([`flagger_canary_info{${AT},${names}} 1`]);
});

it('an impossible object name is not in flagger_canary_info, since dashboards write it into queries', async () => {
  const { metrics, lines } = started();
  const ingressRef = { apiVersion: 'v1', kind: 'Ingress' as const, name: 'web"} or up{a="' };
  metrics.seen(inRelease({}, aCanary({}, { ingressRef })), START_MS);
  expect(await lines('flagger_canary_info')).toEqual([expect.stringContaining('service="podinfo",ingress="",route="podinfo"')]);
});

it('a Canary that was never started, or cannot be read, has no flagger_canary_info', async () => {
  const { metrics, lines } = started();
  metrics.seen(inRelease({ phase: '' }), START_MS);
  expect(await lines('flagger_canary_info')).toEqual([]);
  const { metadata, status } = inRelease();
  metrics.seen(inRelease(), START_MS);
  expect(await lines('flagger_canary_info')).toHaveLength(1);
  metrics.seen({ metadata, spec: { targetRef: { name: 'podinfo' } }, status }, START_MS);
  expect(await lines('flagger_canary_info')).toEqual([]);
});

it.each([
  { what: 'weights', analysis: { stepWeight: 10 }, spec: {}, strategy: 'canary', status: 'completed' },
  { what: 'iterations', analysis: { iterations: 3 }, spec: {}, strategy: 'blue-green', status: 'completed' },
  { what: 'matches', analysis: { iterations: 3, match: [{ headers: {} }] }, spec: {}, strategy: 'ab-testing', status: 'completed' },
  { what: 'no analysis', analysis: { stepWeight: 10 }, spec: { skipAnalysis: true }, strategy: 'canary', status: 'skipped' },
])('a release with $what is a success of $strategy, $status', async ({ analysis, spec, strategy, status }) => {
  const { metrics, lines } = started();
  const canary = inRelease({ phase: 'Finalising' }, aCanary(analysis, spec));
  metrics.seen(canary, START_MS);
  metrics.phaseChanged(canary, 'Succeeded', START_MS);
  const labels = `${AT},deployment_strategy="${strategy}",analysis_status="${status}"`;
  expect(await lines('flagger_canary_successes_total')).toEqual([`flagger_canary_successes_total{${labels}} 1`]);
  expect(await lines('flagger_canary_failures_total')).toEqual([]);
});

it('a failed release is a failure, and its analysis counts as completed', async () => {
  const { metrics, lines } = started();
  const canary = inRelease({}, aCanary({ stepWeight: 10 }, { skipAnalysis: true }));
  metrics.seen(canary, START_MS);
  metrics.phaseChanged(canary, 'Failed', START_MS);
  const labels = `${AT},deployment_strategy="canary",analysis_status="completed"`;
  expect(await lines('flagger_canary_failures_total')).toEqual([`flagger_canary_failures_total{${labels}} 1`]);
});

it('the duration of a release counts from its start to its end', async () => {
  const { metrics, lines } = started();
  const release = { targetUid: 'u', revision: 'r', observedGeneration: 1, run: 1, step: 'analysing', failedChecks: 0, iterations: 0 };
  const canary = inRelease({
    release: { ...release, routes: { kind: 'weighted', canary: 0 as never }, startedMs: START_MS, stepStartedMs: START_MS },
  });
  metrics.seen(canary, START_MS);
  metrics.phaseChanged(canary, 'Succeeded', START_MS + 90_000);
  const labels = `${AT},outcome="succeeded"`;
  expect(await lines('flagger_canary_release_duration_seconds_sum')).toEqual([`flagger_canary_release_duration_seconds_sum{${labels}} 90`]);
});

it('the last advance moves with phase, weight and iterations, and not with failed checks', async () => {
  const { metrics, lines } = started();
  const advancedAt = async () => (await lines('flagger_canary_last_advance_timestamp_seconds')).map((line) => Number(line.split(' ')[1]));
  metrics.seen(inRelease({ canaryWeight: 10 }), START_MS);
  metrics.seen(inRelease({ canaryWeight: 10, failedChecks: 1 }), START_MS + 60_000);
  expect(await advancedAt()).toEqual([START_MS / 1000]);
  metrics.seen(inRelease({ canaryWeight: 20 }), START_MS + 120_000);
  expect(await advancedAt()).toEqual([START_MS / 1000 + 120]);
});

it('webhooks and metric backends are timed by kind and result, for every caller', async () => {
  const { metrics, lines } = started();
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, setTimer: () => () => undefined };
  const [hook, query] = [metrics.timeCall(clock)(''), metrics.timeQuery(clock)('datadog')];
  nowMs = 250;
  hook('refused');
  query('noData');
  expect(await lines('serin_webhook_duration_seconds_sum')).toEqual([
    'serin_webhook_duration_seconds_sum{type="rollout",result="refused"} 0.25',
  ]);
  expect(await lines('serin_metric_query_duration_seconds_sum')).toEqual([
    'serin_metric_query_duration_seconds_sum{provider="datadog",result="no_data"} 0.25',
  ]);
});

it('calls of 50 ms and of five minutes, the durations of a gate and a load test, are counted in different buckets', async () => {
  const { metrics, lines } = started();
  const clock = { nowMs: () => 0, monotonicMs: () => 0, setTimer: () => () => undefined };
  metrics.timeCall(clock)('')('passed');
  const buckets = await lines('serin_webhook_duration_seconds_bucket');
  expect(buckets.map((line) => /le="([^"]+)"/.exec(line)?.[1])).toEqual(['0.05', '0.2', '1', '5', '15', '60', '300', '+Inf']);
});

it('events are counted by reason, those about other objects not at all', async () => {
  const { metrics, lines } = started();
  metrics.seen(inRelease(), START_MS);
  metrics.announced(aCanary(), 'WeightAdvanced');
  metrics.announced(aCanary(), 'WeightAdvanced');
  metrics.announced({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'podinfo', namespace: 'test', uid: 'c-1' } }, 'RouteWarning');
  expect(await lines('flagger_canary_events_total')).toEqual([`flagger_canary_events_total{${AT},reason="WeightAdvanced"} 2`]);
});

const verdicts: Verdict[] = [
  { check: 'errors', verdict: 'failed', value: 9 },
  { check: 'latency', verdict: 'unmeasured', reason: 'timeout' },
  { check: 'lag', verdict: 'unmeasured', reason: 'too early', early: true },
];

it('checks are counted by metric and verdict, a check that is too early not at all', async () => {
  const { metrics, lines } = started();
  metrics.seen(inRelease(), START_MS);
  metrics.measured(aCanary(), verdicts);
  metrics.measured(aCanary(), [...verdicts, { check: 'errors', verdict: 'passed', value: 0 }]);
  const of = (metric: string, verdict: string, count: number) =>
    `flagger_canary_checks_total{${AT},metric="${metric}",verdict="${verdict}"} ${count}`;
  expect((await lines('flagger_canary_checks_total')).sort()).toEqual([
    of('errors', 'failed', 2),
    of('errors', 'passed', 1),
    of('latency', 'unmeasured', 2),
  ]);
});

/** Every series that a Canary can have. */
function tellAll(metrics: ReturnType<typeof createControllerMetrics>, canary: Canary): void {
  const conditions = [{ type: 'Promoted', status: 'Unknown', reason: 'Progressing' } as const];
  const whole = { ...canary, status: aStatus({ phase: 'Progressing', canaryWeight: 10, conditions }) };
  metrics.seen(whole, START_MS);
  metrics.measured(whole, verdicts);
  metrics.tickEnded(whole, 10);
  metrics.announced(whole, 'WeightAdvanced');
  metrics.phaseChanged(whole, 'Succeeded', START_MS);
  metrics.phaseChanged(whole, 'Failed', START_MS);
}

const allSeries = async (metrics: ReturnType<typeof createControllerMetrics>) =>
  (await metrics.registry.metrics()).split('\n').filter((line) => /(name|workload)="podinfo/.test(line));

it('a Canary that is gone leaves no series behind, nor does what comes late of it', async () => {
  const { metrics } = started();
  tellAll(metrics, aCanary());
  expect((await allSeries(metrics)).length).toBeGreaterThan(20);
  metrics.gone({ namespace: 'test', name: 'podinfo' });
  metrics.phaseChanged(inRelease(), 'Failed', START_MS);
  metrics.measured(inRelease(), verdicts);
  metrics.announced(aCanary(), 'Failed');
  metrics.tickEnded(aCanary(), 5);
  expect(await allSeries(metrics)).toEqual([]);
  // Nor a series without labels.
  expect(await metrics.registry.metrics()).not.toMatch(/^flagger_canary_failures_total \d/m);
});

it('a Canary whose spec cannot be run shows its conditions all the same', async () => {
  const { metrics, lines } = started();
  const conditions = [{ type: 'Accepted', status: 'False', reason: 'InvalidSpec' } as const];
  metrics.seen(
    {
      metadata: { namespace: 'test', name: 'odd', uid: 'c-3' },
      spec: { targetRef: { name: 'odd' } },
      status: aStatus({ phase: '', conditions }),
    },
    START_MS,
  );
  expect(await lines('flagger_canary_condition')).toEqual([
    'flagger_canary_condition{name="odd",namespace="test",type="Accepted",status="False",reason="InvalidSpec"} 1',
  ]);
});

it('a late call for a Canary that was made again is not counted for the new one', async () => {
  const { metrics, lines } = started();
  const again = { ...aCanary(), metadata: { ...aCanary().metadata, uid: 'c-9' } };
  metrics.seen(inRelease({ phase: 'Initialized' }, again), START_MS);
  metrics.phaseChanged(inRelease(), 'Failed', START_MS);
  expect(await lines('flagger_canary_failures_total')).toEqual([]);
});

it('a standby replica has no series of Canaries, and serin_leader is 0', async () => {
  const { metrics, lines } = started();
  metrics.leads({
    watches: () => [{ kind: 'v1/Service', ageMs: 5_000, restarts: 2 }],
    deliveries: () => 3,
    calls: () => [{ kind: 'query', running: 32, waiting: 9, refused: 4 }],
  });
  const writes = [{ resource: 'services', limit: 2, underWay: 2, waiting: 12 }];
  metrics.paced([{ figures: () => ({ writes, retriesWaiting: 3, retriesHeld: 5 }) }]);
  metrics.counted('test', 1);
  tellAll(metrics, aCanary());
  const text = await metrics.registry.metrics();
  expect(text).toContain('serin_leader 1\n');
  expect(text).toContain('serin_shard_held{shard="0"} 1\n');
  expect(text).toContain('serin_delivery_queue_depth 3\n');
  expect(text).toContain('serin_outgoing_calls{kind="query"} 32\n');
  expect(text).toContain('serin_outgoing_calls_waiting{kind="query"} 9\n');
  expect(text).toContain('serin_outgoing_calls_refused{kind="query"} 4\n');
  expect(text).toContain('serin_api_writes_limit{resource="services"} 2\n');
  expect(text).toContain('serin_api_writes{resource="services"} 2\n');
  expect(text).toContain('serin_api_writes_waiting{resource="services"} 12\n');
  expect(text).toContain('serin_api_retries_waiting 3\n');
  expect(text).toContain('serin_api_retries_held 5\n');
  expect(text).toContain('serin_watch_age_seconds{kind="v1/Service"} 5\n');
  expect(text).toContain('serin_watch_restarts{kind="v1/Service"} 2\n');
  metrics.stopped();
  expect(await allSeries(metrics)).toEqual([]);
  expect(await lines('flagger_canary_total')).toEqual([]);
  expect(await lines('serin_shard_held')).toEqual([]);
  expect(await lines('serin_watch_age_seconds')).toEqual([]);
  expect(await metrics.registry.metrics()).toContain('serin_leader 0\n');
});

it('a Canary that releases another target takes its series along', async () => {
  const { metrics, lines } = started();
  tellAll(metrics, aCanary());
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' } as const;
  metrics.seen(inRelease({ phase: 'Initialized' }, aCanary({}, { targetRef })), START_MS);
  expect(await allSeries(metrics)).toEqual([]);
  expect(await lines('flagger_canary_status')).toEqual(['flagger_canary_status{name="other",namespace="test"} 1']);
});

it('the series of a target that two Canaries name stay until both are gone', async () => {
  const { metrics, lines } = started();
  const rival = { ...aCanary(), metadata: { ...aCanary().metadata, name: 'rival', uid: 'c-2' } };
  metrics.seen(inRelease({ phase: 'Succeeded' }), START_MS);
  metrics.seen(inRelease({ phase: 'Succeeded' }, rival), START_MS);
  metrics.gone({ namespace: 'test', name: 'rival' });
  expect(await lines('flagger_canary_status')).toHaveLength(1);
  metrics.gone({ namespace: 'test', name: 'podinfo' });
  expect(await lines('flagger_canary_status')).toEqual([]);
});

it('only the phase and the conditions of now have a series', async () => {
  const { metrics, lines } = started();
  const contested = { type: 'Contested', status: 'True', reason: 'FieldContested' } as const;
  metrics.seen(inRelease({ phase: 'Progressing', conditions: [contested] }), START_MS);
  expect(await lines('flagger_canary_condition')).toEqual([
    `flagger_canary_condition{${AT},type="Contested",status="True",reason="FieldContested"} 1`,
  ]);
  metrics.seen(inRelease({ phase: 'Failed', conditions: [] }), START_MS);
  expect(await lines('flagger_canary_condition')).toEqual([]);
  expect(await lines('flagger_canary_phase')).toEqual([`flagger_canary_phase{${AT},phase="Failed"} 1`]);
});

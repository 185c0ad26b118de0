const AT = 'namespace="test",name="podinfo"';
const phase = (name: string, values: string) => ({ series: `flagger_canary_phase{${AT},phase="${name}"}`, values });
const advanced = (values: string) => ({ series: `flagger_canary_last_advance_timestamp_seconds{${AT}}`, values });
const interval = { series: `flagger_canary_interval_seconds{${AT}}`, values: '60x60' };

/** One replica of Serin: for each shard, whether it holds it. */
const replica = (pod: string, leader: string, held: readonly string[]) => [
  { series: `serin_leader{job="serin",namespace="serin",pod="${pod}"}`, values: leader },
  ...held.map((values, shard) => ({ series: `serin_shard_held{job="serin",namespace="serin",pod="${pod}",shard="${shard}"}`, values })),
];

/** Samples for Prometheus, and the expected state of an alert. */
export interface AlertCase {
  alert: string;
  when: string;
  fires: boolean;
  atMinute: number;
  /** One sample a minute, from minute 0. */
  input: { series: string; values: string }[];
}

/** `alerts.test.ts` plays each with promtool. `test/runbooks.test.ts` requires a firing case for each alert. */
export const alertCases: AlertCase[] = [
  {
    alert: 'SerinReleaseFailed',
    when: 'a release has failed',
    fires: true,
    atMinute: 3,
    input: [{ series: `flagger_canary_status{${AT}}`, values: '0 2x10' }],
  },
  {
    alert: 'SerinReleaseFailed',
    when: 'it is promoting',
    fires: false,
    atMinute: 3,
    input: [{ series: `flagger_canary_status{${AT}}`, values: '0 1x10' }],
  },
  {
    alert: 'SerinReleaseStuck',
    when: 'nothing moves for ten intervals and more',
    fires: true,
    atMinute: 40,
    input: [phase('Progressing', '1x60'), advanced('0x60'), interval],
  },
  {
    alert: 'SerinReleaseStuck',
    when: 'the weight moves',
    fires: false,
    atMinute: 40,
    input: [phase('Progressing', '1x60'), advanced('0+60x60'), interval],
  },
  {
    alert: 'SerinReleaseStuck',
    when: 'it waits for an approval',
    fires: false,
    atMinute: 40,
    input: [phase('WaitingPromotion', '1x60'), advanced('0x60'), interval],
  },
  {
    alert: 'SerinReleaseStuck',
    when: 'it is idle',
    fires: false,
    atMinute: 40,
    input: [phase('Succeeded', '1x60'), advanced('0x60'), interval],
  },
  {
    alert: 'SerinPromotionFailing',
    when: 'a primary is on the way for ten minutes',
    fires: true,
    atMinute: 15,
    input: [phase('Promoting', '1x60'), advanced('0x60')],
  },
  {
    alert: 'SerinPromotionFailing',
    when: 'traffic moves to it',
    fires: false,
    atMinute: 15,
    input: [phase('Promoting', '1x60'), advanced('0+60x60')],
  },
  {
    alert: 'SerinAnalysisUnmeasured',
    when: 'a check cannot be measured',
    fires: true,
    atMinute: 6,
    input: [phase('Progressing', '1x60'), { series: `flagger_canary_unmeasured_checks{${AT}}`, values: '1x60' }],
  },
  {
    alert: 'SerinAnalysisUnmeasured',
    when: 'the release has ended',
    fires: false,
    atMinute: 6,
    input: [phase('Failed', '1x60'), { series: `flagger_canary_unmeasured_checks{${AT}}`, values: '1x60' }],
  },
  {
    alert: 'SerinFieldContested',
    when: 'a field is contested',
    fires: true,
    atMinute: 6,
    input: [{ series: `flagger_canary_condition{${AT},type="Contested",status="True",reason="FieldContested"}`, values: '1x60' }],
  },
  {
    alert: 'SerinCanaryRejected',
    when: 'a spec cannot be run',
    fires: true,
    atMinute: 16,
    input: [{ series: `flagger_canary_condition{${AT},type="Accepted",status="False",reason="InvalidSpec"}`, values: '1x60' }],
  },
  {
    alert: 'SerinPrimaryKept',
    when: 'a Canary was deleted after a failed release',
    fires: true,
    atMinute: 16,
    input: [{ series: `serin_kept_primary{${AT}}`, values: '1x30' }],
  },
  {
    alert: 'SerinPrimaryKept',
    when: 'it is handed over within the time',
    fires: false,
    atMinute: 16,
    input: [{ series: `serin_kept_primary{${AT}}`, values: '1x10 _x20' }],
  },
  {
    alert: 'SerinNoLeader',
    when: 'two stand by',
    fires: true,
    atMinute: 4,
    input: [
      { series: 'serin_leader{pod="a"}', values: '0x60' },
      { series: 'serin_leader{pod="b"}', values: '0x60' },
    ],
  },
  { alert: 'SerinNoLeader', when: 'none is there', fires: true, atMinute: 4, input: [{ series: 'up', values: '1x60' }] },
  {
    alert: 'SerinNoLeader',
    when: 'one leads',
    fires: false,
    atMinute: 4,
    input: [
      { series: 'serin_leader{pod="a"}', values: '0x60' },
      { series: 'serin_leader{pod="b"}', values: '1x60' },
    ],
  },
  {
    alert: 'SerinShardNotHeld',
    when: 'one of two shards is held by none',
    fires: true,
    atMinute: 4,
    input: [...replica('a', '1x60', ['1x60', '0x60']), ...replica('b', '0x60', ['0x60', '0x60'])],
  },
  {
    alert: 'SerinShardNotHeld',
    when: 'another Serin holds a shard of that number',
    fires: true,
    atMinute: 4,
    input: [
      ...replica('a', '1x60', ['1x60', '0x60']),
      { series: 'serin_leader{job="serin",namespace="other",pod="c"}', values: '1x60' },
      ...[0, 1, 2].map((shard) => ({ series: `serin_shard_held{job="serin",namespace="other",pod="c",shard="${shard}"}`, values: '1x60' })),
    ],
  },
  {
    alert: 'SerinShardNotHeld',
    when: 'each is held by another replica',
    fires: false,
    atMinute: 4,
    input: [
      ...replica('a', '1x60', ['1x60', '0x60']),
      ...replica('b', '1x60', ['0x60', '1x60']),
      ...replica('c', '0x60', ['0x60', '0x60']),
    ],
  },
  {
    alert: 'SerinShardNotHeld',
    when: 'a replica dies, and another one takes its shard',
    fires: false,
    atMinute: 5,
    input: [...replica('a', '1x60', ['1x60', '0x60']), ...replica('b', '0x2 1x60', ['0x60', '0x2 1x60'])],
  },
  {
    alert: 'SerinShardNotHeld',
    when: 'one that is not divided leads while its number of shards is changed',
    fires: false,
    atMinute: 4,
    input: [...replica('a', '1x60', ['1x60']), ...replica('b', '0x60', ['0x60', '0x60'])],
  },
  {
    alert: 'SerinShardNotHeld',
    when: 'none leads, which is SerinNoLeader',
    fires: false,
    atMinute: 4,
    input: [...replica('a', '0x60', ['0x60', '0x60']), ...replica('b', '0x60', ['0x60', '0x60'])],
  },
  {
    alert: 'SerinShardNotHeld',
    when: 'a Serin that is not divided stands by',
    fires: false,
    atMinute: 4,
    input: [...replica('a', '1x60', ['1x60']), ...replica('b', '0x60', [])],
  },
  {
    alert: 'SerinWatchStale',
    when: 'a watch is silent',
    fires: true,
    atMinute: 10,
    input: [{ series: 'serin_watch_age_seconds{kind="v1/Service"}', values: '0+60x60' }],
  },
  {
    alert: 'SerinWatchStale',
    when: 'bookmarks come',
    fires: false,
    atMinute: 10,
    input: [{ series: 'serin_watch_age_seconds{kind="v1/Service"}', values: '59x60' }],
  },
  {
    alert: 'SerinReconcileErrors',
    when: 'ticks fail again and again',
    fires: true,
    atMinute: 20,
    input: [{ series: 'serin_reconcile_errors_total', values: '0+10x60' }],
  },
  {
    alert: 'SerinReconcileErrors',
    when: 'one has failed',
    fires: false,
    atMinute: 20,
    input: [{ series: 'serin_reconcile_errors_total', values: '0 1x60' }],
  },
  {
    alert: 'SerinDecisionWithoutMove',
    when: 'a decision had no move',
    fires: true,
    atMinute: 10,
    input: [{ series: 'serin_unmoved_decisions_total', values: '0x5 1x60' }],
  },
  {
    alert: 'SerinDecisionWithoutMove',
    when: 'the last one was hours ago',
    fires: false,
    atMinute: 120,
    input: [{ series: 'serin_unmoved_decisions_total', values: '0 1x150' }],
  },
  {
    alert: 'SerinDeliveriesPending',
    when: 'a receiver is away for an hour',
    fires: true,
    atMinute: 62,
    input: [{ series: 'serin_delivery_queue_depth', values: '2x90' }],
  },
  {
    alert: 'SerinDeliveriesPending',
    when: 'the queue empties now and then',
    fires: false,
    atMinute: 62,
    input: [{ series: 'serin_delivery_queue_depth', values: '2x30 0 2x60' }],
  },
];

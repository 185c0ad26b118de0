const AT = 'namespace="test",name="podinfo"';
interface Sample {
  series: string;
  values: string;
}
const sample = (series: string, values: string): Sample => ({ series, values });
const phase = (name: string, values: string) => sample(`flagger_canary_phase{${AT},phase="${name}"}`, values);
const advanced = (values: string) => sample(`flagger_canary_last_advance_timestamp_seconds{${AT}}`, values);
const interval = sample(`flagger_canary_interval_seconds{${AT}}`, '60x60');

/** One replica of Serin: for each shard, whether it holds it. */
const replica = (pod: string, leader: string, held: readonly string[]) => [
  sample(`serin_leader{job="serin",namespace="serin",pod="${pod}"}`, leader),
  ...held.map((values, shard) => sample(`serin_shard_held{job="serin",namespace="serin",pod="${pod}",shard="${shard}"}`, values)),
];

/** Samples for Prometheus, and the expected state of an alert. */
export interface AlertCase {
  alert: string;
  when: string;
  fires: boolean;
  atMinute: number;
  /** One sample a minute, from minute 0. */
  input: Sample[];
}
type Case = (alert: string, atMinute: number, when: string, ...input: Sample[]) => AlertCase;
const fires: Case = (alert, atMinute, when, ...input) => ({ alert, when, fires: true, atMinute, input });
const isSilent: Case = (alert, atMinute, when, ...input) => ({ alert, when, fires: false, atMinute, input });

/** `alerts.test.ts` plays each with promtool. `test/runbooks.test.ts` requires a firing case for each alert. */
export const alertCases: AlertCase[] = [
  fires('SerinReleaseFailed', 3, 'a release has failed', sample(`flagger_canary_status{${AT}}`, '0 2x10')),
  isSilent('SerinReleaseFailed', 3, 'it is promoting', sample(`flagger_canary_status{${AT}}`, '0 1x10')),
  fires('SerinReleaseStuck', 40, 'nothing moves for ten intervals and more', phase('Progressing', '1x60'), advanced('0x60'), interval),
  isSilent('SerinReleaseStuck', 40, 'the weight moves', phase('Progressing', '1x60'), advanced('0+60x60'), interval),
  isSilent('SerinReleaseStuck', 40, 'it waits for an approval', phase('WaitingPromotion', '1x60'), advanced('0x60'), interval),
  isSilent('SerinReleaseStuck', 40, 'it is idle', phase('Succeeded', '1x60'), advanced('0x60'), interval),
  fires('SerinPromotionFailing', 15, 'a primary is on the way for ten minutes', phase('Promoting', '1x60'), advanced('0x60')),
  isSilent('SerinPromotionFailing', 15, 'traffic moves to it', phase('Promoting', '1x60'), advanced('0+60x60')),
  fires(
    'SerinAnalysisUnmeasured',
    6,
    'a check cannot be measured',
    phase('Progressing', '1x60'),
    sample(`flagger_canary_unmeasured_checks{${AT}}`, '1x60'),
  ),
  isSilent(
    'SerinAnalysisUnmeasured',
    6,
    'the release has ended',
    phase('Failed', '1x60'),
    sample(`flagger_canary_unmeasured_checks{${AT}}`, '1x60'),
  ),
  fires(
    'SerinFieldContested',
    6,
    'a field is contested',
    sample(`flagger_canary_condition{${AT},type="Contested",status="True",reason="FieldContested"}`, '1x60'),
  ),
  fires(
    'SerinCanaryRejected',
    16,
    'a spec cannot be run',
    sample(`flagger_canary_condition{${AT},type="Accepted",status="False",reason="InvalidSpec"}`, '1x60'),
  ),
  fires('SerinPrimaryKept', 16, 'a Canary was deleted after a failed release', sample(`serin_kept_primary{${AT}}`, '1x30')),
  isSilent('SerinPrimaryKept', 16, 'it is handed over within the time', sample(`serin_kept_primary{${AT}}`, '1x10 _x20')),
  fires('SerinNoLeader', 4, 'two stand by', sample('serin_leader{pod="a"}', '0x60'), sample('serin_leader{pod="b"}', '0x60')),
  fires('SerinNoLeader', 4, 'none is there', sample('up', '1x60')),
  isSilent('SerinNoLeader', 4, 'one leads', sample('serin_leader{pod="a"}', '0x60'), sample('serin_leader{pod="b"}', '1x60')),
  fires(
    'SerinShardNotHeld',
    4,
    'one of two shards is held by none',
    ...replica('a', '1x60', ['1x60', '0x60']),
    ...replica('b', '0x60', ['0x60', '0x60']),
  ),
  fires(
    'SerinShardNotHeld',
    4,
    'another Serin holds a shard of that number',
    ...replica('a', '1x60', ['1x60', '0x60']),
    sample('serin_leader{job="serin",namespace="other",pod="c"}', '1x60'),
    ...[0, 1, 2].map((shard) => sample(`serin_shard_held{job="serin",namespace="other",pod="c",shard="${shard}"}`, '1x60')),
  ),
  isSilent(
    'SerinShardNotHeld',
    4,
    'each is held by another replica',
    ...replica('a', '1x60', ['1x60', '0x60']),
    ...replica('b', '1x60', ['0x60', '1x60']),
    ...replica('c', '0x60', ['0x60', '0x60']),
  ),
  isSilent(
    'SerinShardNotHeld',
    5,
    'a replica dies, and another one takes its shard',
    ...replica('a', '1x60', ['1x60', '0x60']),
    ...replica('b', '0x2 1x60', ['0x60', '0x2 1x60']),
  ),
  isSilent(
    'SerinShardNotHeld',
    4,
    'one that is not divided leads while its number of shards is changed',
    ...replica('a', '1x60', ['1x60']),
    ...replica('b', '0x60', ['0x60', '0x60']),
  ),
  isSilent(
    'SerinShardNotHeld',
    4,
    'none leads, which is SerinNoLeader',
    ...replica('a', '0x60', ['0x60', '0x60']),
    ...replica('b', '0x60', ['0x60', '0x60']),
  ),
  isSilent('SerinShardNotHeld', 4, 'a Serin that is not divided stands by', ...replica('a', '1x60', ['1x60']), ...replica('b', '0x60', [])),
  fires('SerinWatchStale', 10, 'a watch is silent', sample('serin_watch_age_seconds{kind="v1/Service"}', '0+60x60')),
  isSilent('SerinWatchStale', 10, 'bookmarks come', sample('serin_watch_age_seconds{kind="v1/Service"}', '59x60')),
  fires('SerinReconcileErrors', 20, 'ticks fail again and again', sample('serin_reconcile_errors_total', '0+10x60')),
  isSilent('SerinReconcileErrors', 20, 'one has failed', sample('serin_reconcile_errors_total', '0 1x60')),
  fires('SerinDecisionWithoutMove', 10, 'a decision had no move', sample('serin_unmoved_decisions_total', '0x5 1x60')),
  isSilent('SerinDecisionWithoutMove', 120, 'the last one was hours ago', sample('serin_unmoved_decisions_total', '0 1x150')),
  fires('SerinDeliveriesPending', 62, 'a receiver is away for an hour', sample('serin_delivery_queue_depth', '2x90')),
  isSilent('SerinDeliveriesPending', 62, 'the queue empties now and then', sample('serin_delivery_queue_depth', '2x30 0 2x60')),
];

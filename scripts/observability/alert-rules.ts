export interface AlertRule {
  alert: string;
  expr: string;
  for: string;
  severity: 'critical' | 'warning';
  summary: string;
  description: string;
}

/** A release that waits for an approval is not stuck. */
const RELEASING = 'flagger_canary_phase{phase=~"Progressing|Promoting|Finalising"}';
/** Labels of a scrape: replicas of one Serin share them. */
const INSTALLATION = 'job, namespace';
const SHARDS_OF_EACH = 'count without (shard) (serin_shard_held)';
/** While the number of shards is changed, replicas with the former number look after all Canaries, and the others wait for them. */
const HAVE_ONE_NUMBER = `(min by (${INSTALLATION}) (${SHARDS_OF_EACH}) == max by (${INSTALLATION}) (${SHARDS_OF_EACH}))`;
const of = '{{ $labels.namespace }}/{{ $labels.name }}';

/** Alerts that need an operator. Each has a section of its name in docs/runbooks.md. */
export const alertRules: readonly AlertRule[] = [
  {
    alert: 'SerinReleaseFailed',
    expr: 'flagger_canary_status > 1',
    for: '1m',
    severity: 'warning',
    summary: `The release of ${of} failed`,
    description:
      'The primary serves the last promoted version. The target holds a version that was rolled back: correct it, or revert the edit.',
  },
  {
    alert: 'SerinReleaseStuck',
    expr: `time() - flagger_canary_last_advance_timestamp_seconds > 10 * flagger_canary_interval_seconds + 600 and on (namespace, name) ${RELEASING}`,
    for: '5m',
    severity: 'warning',
    summary: `The release of ${of} does not go on`,
    description: 'Neither phase, weight nor iterations have moved for ten intervals and ten minutes more.',
  },
  {
    alert: 'SerinPromotionFailing',
    expr: 'flagger_canary_phase{phase="Promoting"} unless on (namespace, name) flagger_canary_last_advance_timestamp_seconds > time() - 600',
    for: '1m',
    severity: 'critical',
    summary: `The primary of ${of} does not become ready with the promoted version`,
    description:
      'The version passed its analysis, and its primary has been on the way for ten minutes. Traffic stays with the side that serves.',
  },
  {
    alert: 'SerinAnalysisUnmeasured',
    expr: `flagger_canary_unmeasured_checks > 0 and on (namespace, name) ${RELEASING}`,
    for: '5m',
    severity: 'warning',
    summary: `{{ $value }} checks of ${of} cannot be measured`,
    description:
      'The metrics source does not answer, or has no data for the canary: by `analysis.unmeasured` the release is held or rolled back.',
  },
  {
    alert: 'SerinFieldContested',
    expr: 'flagger_canary_condition{type="Contested",status="True"} == 1',
    for: '5m',
    severity: 'warning',
    summary: `Another writer undoes what Serin writes for ${of}`,
    description: 'The condition Contested of the Canary names the object, the field and who changes it back.',
  },
  {
    alert: 'SerinCanaryRejected',
    expr: 'flagger_canary_condition{type="Accepted",status="False"} == 1',
    for: '15m',
    severity: 'warning',
    summary: `Canary ${of} is rejected ({{ $labels.reason }})`,
    description: 'The condition Accepted names the field. The current version keeps serving; no new version is released.',
  },
  {
    alert: 'SerinPrimaryKept',
    expr: 'serin_kept_primary == 1',
    for: '15m',
    severity: 'warning',
    summary: `The primary of ${of} serves on without its Canary`,
    description:
      'The Canary was deleted while its target held what was not promoted. Users are served; the target gets no traffic until someone decides.',
  },
  {
    alert: 'SerinNoLeader',
    expr: '(sum(serin_leader) or vector(0)) == 0',
    for: '2m',
    severity: 'critical',
    summary: 'No replica of Serin runs the Canaries',
    description: 'Applications keep serving, and routes stay unchanged. No release progresses, and none is rolled back.',
  },
  {
    alert: 'SerinShardNotHeld',
    expr: `max by (${INSTALLATION}, shard) (serin_shard_held) == 0 and on (${INSTALLATION}) sum by (${INSTALLATION}) (serin_leader) > 0 and on (${INSTALLATION}) ${HAVE_ONE_NUMBER}`,
    for: '2m',
    severity: 'critical',
    summary: 'No replica of Serin runs the Canaries of shard {{ $labels.shard }}',
    description:
      'Their applications keep serving, and routes stay unchanged. None of their releases progresses, and none is rolled back. Other shards are held.',
  },
  {
    alert: 'SerinWatchStale',
    expr: 'serin_watch_age_seconds > 300',
    for: '2m',
    severity: 'critical',
    summary: 'Serin gets no changes of {{ $labels.kind }}',
    description: 'The API server has sent nothing on this watch for five minutes: Serin decides by older data.',
  },
  {
    alert: 'SerinReconcileErrors',
    expr: 'increase(serin_reconcile_errors_total[10m]) > 20',
    for: '5m',
    severity: 'warning',
    summary: 'Serin fails to reconcile Canaries',
    description: 'Its log reports each as "reconcile failed", with the Canary and the error.',
  },
  {
    alert: 'SerinDecisionWithoutMove',
    expr: 'increase(serin_unmoved_decisions_total[1h]) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'A release in Serin has reached a decision that has no move',
    description:
      'This is a defect of Serin: its log reports "a decision has no move" with the Canary, the state and the decision. Report it; roll the release back, or promote it by its verb.',
  },
  {
    alert: 'SerinDeliveriesPending',
    expr: 'serin_delivery_queue_depth > 0',
    for: '1h',
    severity: 'warning',
    summary: '{{ $value }} messages of Serin find no receiver',
    description: 'An event webhook, a post-rollout hook or a chat service has not answered for an hour. Each is given up after a day.',
  },
];

import type { Dashboard, Panel } from './dashboard.ts';
import { releaseMarks } from './marks.ts';

const time = (title: string, unit: Panel['unit'], ...queries: readonly (readonly [expr: string, legend: string])[]): Panel => ({
  title,
  kind: 'time',
  unit,
  queries: queries.map(([expr, legend]) => ({ expr, legend })),
});
const stat = (title: string, expr: string, legend: string): Panel => ({ title, kind: 'stat', unit: 'short', queries: [{ expr, legend }] });
/** Canaries that are in a phase, with the time since it began. */
const standing = (title: string, phases: string): Panel => ({
  title,
  kind: 'table',
  unit: 's',
  queries: [
    {
      // Two Canaries may name one target, of which one is refused: the join takes either.
      expr: `max by (namespace, name, canary, phase) (flagger_canary_phase{phase=~"${phases}"} * on (namespace, name) group_left () (time() - max by (namespace, name) (flagger_canary_last_advance_timestamp_seconds)) * on (namespace, name) group_left (canary) topk by (namespace, name) (1, flagger_canary_info))`,
      legend: '{{namespace}}/{{canary}}',
    },
  ],
  link: {
    title: 'Open in the dashboard of Serin, whose address is above',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's own variables
    url: '${page:raw}/canaries/${__data.fields.namespace}/${__data.fields.canary}',
  },
});
const quantile = (part: number, histogram: string, by: string): string =>
  `histogram_quantile(${part}, sum by (${by}) (rate(${histogram}_bucket[$__rate_interval])))`;

/** Serin itself: all Canaries, and how well the controller does. */
export const serinDashboard: Dashboard = {
  uid: 'serin',
  title: 'Serin',
  description: 'All Canaries at a glance, and the controller that looks after them',
  variables: [{ name: 'page', label: 'Address of serin dashboard' }],
  place: 'overview',
  marks: releaseMarks().ended,
  rows: [
    {
      title: 'Canaries',
      panels: [
        stat('Canaries', 'sum(flagger_canary_total)', 'all'),
        stat('By phase', 'count by (phase) (flagger_canary_phase)', '{{phase}}'),
        stat('Failed', 'count(flagger_canary_status > 1) or vector(0)', 'failed'),
        stat('Contested', 'count(flagger_canary_condition{type="Contested",status="True"}) or vector(0)', 'contested'),
        standing('Failed Canaries', 'Failed'),
        standing('Canaries that wait', 'Waiting|WaitingPromotion'),
        time('Weight of canaries', 'percent', [
          'flagger_canary_weight unless on (namespace, workload) label_replace(flagger_canary_status, "workload", "$1-primary", "name", "(.*)")',
          '{{namespace}}/{{workload}}',
        ]),
        time('Since the last advance of releases', 's', [
          'time() - flagger_canary_last_advance_timestamp_seconds and on (namespace, name) flagger_canary_phase{phase=~"Progressing|Promoting|Finalising"}',
          '{{namespace}}/{{name}}',
        ]),
      ],
    },
    {
      title: 'Releases',
      panels: [
        time(
          'Ended in an hour',
          'short',
          ['sum(increase(flagger_canary_successes_total[1h])) or vector(0)', 'promoted'],
          ['sum(increase(flagger_canary_failures_total[1h])) or vector(0)', 'failed'],
        ),
        time(
          'Duration',
          's',
          [quantile(0.5, 'flagger_canary_release_duration_seconds', 'le, outcome'), 'P50 {{outcome}}'],
          [quantile(0.9, 'flagger_canary_release_duration_seconds', 'le, outcome'), 'P90 {{outcome}}'],
        ),
        time('Checks', 'short', ['sum by (verdict) (increase(flagger_canary_checks_total[$__rate_interval]))', '{{verdict}}']),
        time('Events', 'short', ['sum by (reason) (increase(flagger_canary_events_total[$__rate_interval]))', '{{reason}}']),
      ],
    },
    {
      title: 'Controller',
      panels: [
        stat('Leaders', 'sum(serin_leader)', 'leaders'),
        time('Replicas of each shard', 'short', ['sum by (shard) (serin_shard_held)', 'shard {{shard}}']),
        { ...stat('Version', 'flagger_info', '{{version}} {{mesh_provider}}'), shows: 'legend' },
        time('Reconcile lag, P99', 's', [quantile(0.99, 'serin_reconcile_lag_seconds', 'le'), 'P99']),
        time('Duration of ticks, P90', 's', [quantile(0.9, 'flagger_canary_duration_seconds', 'le'), 'P90']),
        time('Reconciles that end in an error', 'short', ['sum(increase(serin_reconcile_errors_total[$__rate_interval]))', 'errors']),
        time('Messages without an answer', 'short', ['sum(serin_delivery_queue_depth)', 'waiting']),
        time(
          'Writes to the API server',
          'short',
          ['sum by (resource) (serin_api_writes)', '{{resource}} under way'],
          ['sum by (resource) (serin_api_writes_waiting)', '{{resource}} waiting'],
          ['sum by (resource) (serin_api_writes_limit)', '{{resource}} limit'],
        ),
        time(
          'Retries of API requests',
          'short',
          ['sum(serin_api_retries_waiting)', 'waiting'],
          ['sum(delta(serin_api_retries_held[$__rate_interval]))', 'had to wait'],
        ),
        time('Memory', 'bytes', ['process_resident_memory_bytes and on (instance) serin_leader', '{{instance}}']),
      ],
    },
    {
      title: 'Webhooks and metric backends',
      panels: [
        time(
          'Outgoing calls',
          'short',
          ['sum by (kind) (serin_outgoing_calls)', '{{kind}} under way'],
          ['sum by (kind) (serin_outgoing_calls_waiting)', '{{kind}} waiting'],
          ['sum by (kind) (delta(serin_outgoing_calls_refused[$__rate_interval]))', '{{kind}} not made'],
        ),
        time('Calls of webhooks', 'short', [
          'sum by (type, result) (increase(serin_webhook_duration_seconds_count[$__rate_interval]))',
          '{{type}} {{result}}',
        ]),
        time('Duration of calls, P90', 's', [quantile(0.9, 'serin_webhook_duration_seconds', 'le, type'), '{{type}}']),
        time('Queries', 'short', [
          'sum by (provider, result) (increase(serin_metric_query_duration_seconds_count[$__rate_interval]))',
          '{{provider}} {{result}}',
        ]),
        time('Duration of queries, P90', 's', [quantile(0.9, 'serin_metric_query_duration_seconds', 'le, provider'), '{{provider}}']),
      ],
    },
    {
      title: 'API server',
      panels: [
        time('Requests', 'reqps', [
          'sum by (verb, resource, status) (rate(serin_api_requests_total[$__rate_interval]))',
          '{{verb}} {{resource}} {{status}}',
        ]),
        time('Duration, P99', 's', [quantile(0.99, 'serin_api_request_duration_seconds', 'le, verb'), '{{verb}}']),
        time('Silence of watches', 's', ['max by (kind) (serin_watch_age_seconds)', '{{kind}}']),
        time('Watches opened again', 'short', ['max by (kind) (serin_watch_restarts)', '{{kind}}']),
      ],
    },
  ],
};

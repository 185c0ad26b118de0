import { isBlockerCode, otherActor } from '../../api/codes/codes.ts';
import { requestsText } from '../../api/routed-text.ts';
import { EVENTS_SHOWN } from '../../reading/canary-report.ts';
import type { CanaryReport, CheckReport, GateReport, WorkloadReport } from '../../reading/documents/canary-documents.ts';
import { recordedIn } from '../../reading/waits.ts';
import { bar, type Meaning, meaningOf, paint } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { cleaned, indented } from '../output/text.ts';
import { type Cell, textTable } from '../output/text-table.ts';
import { comparedHeading, comparedRows } from './compared-rows.ts';
import { controllerLines } from './controller-lines.ts';
import { isIterating, phaseText, trafficInWords } from './list-command.ts';
import { releaseLines, stepsText } from './release-line.ts';

const BAR = 20;
const INDENT = 2;

/** One screen of one Canary. `wide`: each event and each sentence in full, and queries without a value. */
export function statusScreen(report: CanaryReport, terminal: Terminal, wide: boolean): string[] {
  const { namespace, name, since, message, checks, compared = [], gates, conditions, events, workloads } = report;
  const title = `Canary ${namespace}/${name}: ${paint(phaseText(report), meaningOf(report.phase), terminal)}${since ? ` since ${since}` : ''}`;
  const others = conditions.filter(({ type, message: said }) => type !== 'Promoted' && said !== undefined && said !== message);
  const shown = wide ? events : events.slice(-EVENTS_SHOWN);
  const part = (heading: string, rows: readonly (readonly (string | Cell)[])[], sentence = true): string[] =>
    rows.length === 0 ? [] : ['', heading, ...textTable([], rows, terminal, { indent: INDENT, sentence: sentence && !wide })];
  return [
    title,
    ...(message === undefined ? [] : indented(message, terminal)),
    ...releaseLines(report).map((line) => cleaned(line, terminal)),
    ...controllerLines(report.controller),
    ...part('Workloads', [workloadRow('target', workloads.target), workloadRow('primary', workloads.primary)], false),
    ...part('Traffic', trafficRows(report, terminal), false),
    ...part('Checks', checks.map(checkRow)),
    ...part('Queries', wide ? checks.flatMap(({ check, query }) => (query === undefined ? [] : [[check, query]])) : []),
    ...part(
      comparedHeading(compared),
      compared.flatMap((one) => comparedRows(one, wide)),
      false,
    ),
    ...part('Gates', gates.map(gateRow)),
    ...part('Who can act', whoRows(report), false),
    ...part(
      'Also',
      others.map(({ type, message: said = '' }) => [type, said]),
    ),
    ...part(
      shown.length < events.length ? `Events (the last ${shown.length} of ${events.length})` : 'Events',
      shown.map(({ at = '-', type, reason, message: said, count }) => [
        at,
        { text: reason, meaning: type === 'Warning' ? 'busy' : 'plain' },
        count > 1 ? `${said} (${count} times)` : said,
      ]),
    ),
  ];
}

function workloadRow(role: string, { kind, name, exists, replicas, ready, runs, revision }: WorkloadReport): (string | Cell)[] {
  const count: string | Cell =
    replicas === undefined
      ? exists
        ? (runs ?? 'exists')
        : { text: 'does not exist', meaning: 'bad' }
      : { text: `${ready ?? 0} of ${replicas} ready`, meaning: ready === replicas ? 'plain' : 'busy' };
  return [role, `${kind}/${name}`, count, shortRevision(revision)];
}

/** Shortened like `git log --oneline`: enough to distinguish revisions. */
export function shortRevision(revision: string | undefined): string {
  return revision === undefined ? '-' : revision.replace(/^(s1:[0-9a-f]{12})[0-9a-f]+$/, '$1');
}

function trafficRows(report: CanaryReport, terminal: Terminal): string[][] {
  const { traffic, provider, failedChecks, threshold, iterations } = report;
  const failed = threshold === undefined ? `${failedChecks}` : `${failedChecks} of ${threshold}`;
  const { steps } = report.release ?? {};
  const beside = [
    `provider ${provider ?? 'of the controller'}`,
    `failed checks ${failed}`,
    ...(iterations > 0 && steps?.unit !== 'iteration' ? [`iteration ${iterations}`] : []),
  ];
  if (isIterating(report)) return [['canary', `${stepsText(steps)}: the primary receives all traffic; ${beside.join(', ')}`]];
  if (traffic.kind !== 'weighted') return [['canary', `${trafficInWords(traffic)}; ${beside.join(', ')}`]];
  return [
    ['primary', bar(traffic.primary, BAR, terminal)],
    ['canary', bar(traffic.canary, BAR, terminal)],
    ['', beside.join(', ')],
  ];
}

/** Each wait that another person can end than the owners of the Canary and its target. */
function whoRows({ blockers, conditions, deleting }: CanaryReport): string[][] {
  if (deleting) return [];
  const named = recordedIn(blockers, conditions).flatMap(({ code, ...about }) => {
    const { object, field, webhook, metric } = about;
    const who = isBlockerCode(code) ? otherActor(code, about) : undefined;
    const what = [webhook, metric, object && `${object.kind}/${object.name}`, field].filter(Boolean).join(' ');
    return who === undefined ? [] : [[code, what || '-', who]];
  });
  return [...new Map(named.map((row) => [row.join(' '), row])).values()];
}

const MEANINGS: Readonly<Record<CheckReport['verdict'] | GateReport['state'], Meaning>> = {
  passed: 'good',
  failed: 'bad',
  unmeasured: 'busy',
  pending: 'plain',
  open: 'good',
  closed: 'busy',
  unreachable: 'busy',
  unasked: 'plain',
};

function checkRow({ check, verdict, value, baseline, requests, limit = '-', reason, observed }: CheckReport): (string | Cell)[] {
  const measured = value === undefined ? '-' : rounded(value);
  const beside = [
    ...(requests === undefined ? [] : [requestsText(requests)]),
    ...(baseline === undefined ? [] : [`primary ${rounded(baseline)}`]),
    ...(observed ? ['observed only'] : []),
  ].join(', ');
  return [{ text: verdict, meaning: MEANINGS[verdict] }, check, measured, limit, [beside, reason ?? ''].filter(Boolean).join('; ')];
}

function gateRow({ name, type, state, reason = '' }: GateReport): (string | Cell)[] {
  return [{ text: state, meaning: MEANINGS[state] }, name, type, reason];
}

const rounded = (value: number): string => String(Math.round(value * 100) / 100);

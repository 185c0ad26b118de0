import { keptIn } from '../../base/once.ts';
import { changeLines } from '../output/change-lines.ts';
import { evidenceLines } from '../output/evidence-lines.ts';
import { paint } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { cleaned, indented } from '../output/text.ts';
import { type Cell, textTable } from '../output/text-table.ts';
import type { RehearsalMistake, RehearsalReport, RehearsalResult, TimelineEntry } from './rehearsal-report.ts';
import {
  afterWords,
  causeWords,
  durationWords,
  failedIn,
  outcomeWords,
  placeWords,
  timelineEntryWords,
  unmeasuredRows,
  unusedRows,
  verdictWords,
} from './words.ts';

const INDENT = 2;

/** One rehearsal in detail, several as a table; `wide`: each in detail, with writes and the requests that webhooks receive. */
export function reportLines(report: RehearsalReport, terminal: Terminal, wide: boolean): string[] {
  const { rehearsals, mistakes } = report;
  const isTable = rehearsals.length > 1;
  const details = isTable && !wide ? [] : rehearsals.flatMap((result) => [...detailLines(result, terminal, wide), '']);
  return [
    ...(isTable ? [...tableLines(report, terminal), ''] : []),
    ...details,
    ...mistakeLines(mistakes, terminal),
    ...(isTable && !wide ? assumptionLines(commonAssumptions(rehearsals), terminal) : []),
  ];
}

/** The table of --matrix. */
export function tableLines({ rehearsals }: RehearsalReport, terminal: Terminal): string[] {
  const names = new Set(rehearsals.map(({ namespace, name }) => `${namespace}/${name}`));
  const headings = [...(names.size > 1 ? ['CANARY'] : []), 'SCENARIO', 'VERDICT', 'AFTER', 'NEW VERSION', 'ERRORS', 'PODS', 'CAUSE'];
  const rows = rehearsals.map((result): (string | Cell)[] => [
    ...(names.size > 1 ? [`${result.namespace}/${result.name}`] : []),
    result.scenario.name,
    verdictWords(result),
    afterWords(result),
    String(result.requests.new.sent),
    { text: String(failedIn(result)), meaning: failedIn(result) > 0 ? 'busy' : 'plain' },
    String(result.peakPods),
    causeWords(result) || '-',
  ]);
  return textTable(headings, rows, terminal);
}

function detailLines(result: RehearsalResult, terminal: Terminal, wide: boolean): string[] {
  const { namespace, name, scenario, message, requests, peakPods, timeline, assumptions } = result;
  const part = (heading: string, rows: readonly (readonly (string | Cell)[])[]): string[] =>
    rows.length === 0 ? [] : ['', heading, ...textTable([], rows, terminal, { indent: INDENT, sentence: !wide })];
  const verdict = verdictWords(result);
  return [
    cleaned(`Canary ${namespace}/${name}, scenario ${scenario.name}${scenario.says === '' ? '' : `: ${scenario.says}`}`, terminal),
    `  ${paint(verdict.text, verdict.meaning, terminal)}: ${outcomeWords(result)}; at most ${peakPods} pods`,
    ...(message === '' ? [] : indented(message, terminal)),
    ...part('Requests of users', [
      ['answered by', 'sent', 'failed'],
      ['old version', String(requests.old.sent), String(requests.old.failed)],
      ['new version', String(requests.new.sent), String(requests.new.failed)],
      ...(requests.none.sent > 0 ? [['a proxy', String(requests.none.sent), String(requests.none.failed)]] : []),
    ]),
    ...part('Timeline', timeline.flatMap(timelineRow)),
    ...evidenceLines(result.evidence ?? [], terminal),
    ...part('Objects that Serin writes', writtenRows(timeline)),
    ...(wide ? writeLines(timeline, terminal) : []),
    ...part('Webhooks and alerts receive', callRows(timeline, wide)),
    ...part('Checks that are not measured', unmeasuredRows(result)),
    ...part('Objects that are not used', unusedRows(result)),
    ...assumptionLines(assumptions, terminal),
  ];
}

function timelineRow(entry: TimelineEntry): (string | Cell)[][] {
  const words = timelineEntryWords(entry);
  return words === undefined ? [] : [[durationWords(entry.seconds), words]];
}

function writtenRows(timeline: readonly TimelineEntry[]): string[][] {
  const objects = new Map<string, { created: boolean; times: number; fields: Set<string> }>();
  for (const entry of timeline) {
    if (entry.kind !== 'write') continue;
    const { kind, namespace, name } = entry.object;
    const key = `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
    const known = keptIn(objects, key, () => ({ created: false, times: 0, fields: new Set<string>() }));
    if (entry.created) known.created = true;
    else {
      known.times += 1;
      for (const { field } of entry.changes) known.fields.add(field);
    }
  }
  return [...objects].map(([key, { created, times, fields }]) => [
    key,
    [created ? 'created' : '', times > 0 ? `changed ${times === 1 ? 'once' : `${times} times`}: ${[...fields].join(', ')}` : '']
      .filter(Boolean)
      .join(', '),
  ]);
}

function writeLines(timeline: readonly TimelineEntry[], terminal: Terminal): string[] {
  return timeline.flatMap((entry) => {
    if (entry.kind !== 'write') return [];
    const { kind, name } = entry.object;
    return [
      cleaned(`  ${durationWords(entry.seconds)} ${entry.created ? 'create' : 'change'} ${kind} ${name}`, terminal),
      ...entry.changes.flatMap((change) => changeLines(change, terminal, '    ')),
    ];
  });
}

/** Each receiver once with its first body; all with `wide`. */
function callRows(timeline: readonly TimelineEntry[], wide: boolean): string[][] {
  const seen = new Set<string>();
  return timeline.flatMap((entry) => {
    if (entry.kind !== 'webhook' && entry.kind !== 'alert') return [];
    const who = entry.kind === 'alert' ? 'alert' : entry.webhooks.map(({ name }) => name).join(', ');
    if (!wide && seen.has(who)) return [];
    seen.add(who);
    return [[durationWords(entry.seconds), who, entry.to, entry.body]];
  });
}

/** Mistakes, a paragraph each. */
export function mistakeLines(mistakes: readonly RehearsalMistake[], terminal: Terminal): string[] {
  if (mistakes.length === 0) return ['No mistake found.'];
  return [
    'Mistakes',
    ...mistakes.flatMap((mistake) => {
      const { severity, rule, message, field, scenario } = mistake;
      const what = [placeWords(mistake), rule === 'validate' ? '' : rule, scenario ? `scenario ${scenario}` : '']
        .filter(Boolean)
        .join(', ');
      const text = `${severity}: ${what}: ${field ? `${field}: ` : ''}${message}`;
      const lines = indented(text, terminal);
      return lines.map((one, index) => (index === 0 ? one : `  ${one}`));
    }),
  ];
}

const commonAssumptions = (rehearsals: readonly RehearsalResult[]): string[] => [
  ...new Set(rehearsals.flatMap(({ assumptions }) => assumptions)),
];

const assumptionLines = (assumptions: readonly string[], terminal: Terminal): string[] =>
  assumptions.length === 0 ? [] : ['', 'Assumptions of the model', ...assumptions.flatMap((text) => indented(text, terminal))];

import { escapeXml } from '../../output/text.ts';
import type { RehearsalMistake, RehearsalReport, RehearsalResult, TimelineEntry } from '../rehearsal-report.ts';
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
} from '../words.ts';
import { plotsOf } from './plots.ts';
import { style } from './style.ts';

/** One file: no script, nothing that is loaded, every text escaped. */
export function htmlReport(report: RehearsalReport): string {
  const { rehearsals, mistakes, sound, seed, requestsPerSecond } = report;
  const names = [...new Set(rehearsals.map(({ namespace, name }) => `${namespace}/${name}`))];
  const title = `Rehearsal of ${names.join(', ')}`;
  const verdict = sound ? '<span class="good">sound</span>' : '<span class="bad">not sound</span>';
  const isLong = rehearsals.length > 1;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
    '<link rel="icon" href="data:,">',
    `<title>${escapeXml(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escapeXml(title)}: ${verdict}</h1>`,
    `<p class="dim">serin rehearse, seed ${seed}, ${requestsPerSecond} requests a second. Nothing of this happened: it is a model in virtual time.</p>`,
    mistakesHtml(mistakes),
    ...(isLong
      ? [
          table(
            'Scenarios',
            [...matrixHead],
            rehearsals.map((result, index) => matrixRow(result, index, names.length > 1)),
            { level: 2 },
          ),
        ]
      : []),
    ...rehearsals.map((result, index) => section(result, index, isLong)),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const matrixHead = ['Scenario', 'Verdict', 'After', 'New version served', 'Users saw errors', 'Peak pods', 'Cause'] as const;

function matrixRow(result: RehearsalResult, index: number, hasSeveral: boolean): string[] {
  const { text, meaning } = verdictWords(result);
  const name = hasSeveral ? `${result.namespace}/${result.name} ${result.scenario.name}` : result.scenario.name;
  return [
    `<a href="#r${index}">${escapeXml(name)}</a>`,
    `<span class="${meaning} verdict">${escapeXml(text)}</span>`,
    ...[afterWords(result), String(result.requests.new.sent), String(failedIn(result)), String(result.peakPods)].map(escapeXml),
    escapeXml(causeWords(result) || '–'),
  ];
}

function section(result: RehearsalResult, index: number, isFolded: boolean): string {
  const { namespace, name, scenario, message, requests, peakPods, assumptions, timeline } = result;
  const verdict = verdictWords(result);
  const rows: [string, { sent: number; failed: number }][] = [
    ['old version', requests.old],
    ['new version', requests.new],
    ['a proxy', requests.none],
  ];
  const body = [
    `<p>${escapeXml(message)}</p>`,
    `<div class="plots">${plotsOf(result)}</div>`,
    table(
      'Requests of users, by what answered',
      ['Answered by', 'Sent', 'Failed'],
      rows.map(([who, { sent, failed }]) => [who, String(sent), String(failed)]),
    ),
    table('Timeline', ['After the push', 'What'], timeline.flatMap(timelineRow), { times: true }),
    table('Webhooks and alerts receive', ['After the push', 'What', 'To', 'Body'], timeline.flatMap(callRow), { times: true }),
    table('Checks that are not measured', ['Check', 'Why'], escaped(unmeasuredRows(result))),
    table('Objects that are not used', ['Object', 'Why'], escaped(unusedRows(result))),
    writesHtml(timeline),
    list('Assumptions of the model', assumptions),
  ].join('\n');
  const head = `<h2 id="r${index}">${escapeXml(`${namespace}/${name}, scenario ${scenario.name}`)}</h2>`;
  const said = `<p>${escapeXml(scenario.says)}${scenario.says === '' ? '' : ': '}<span class="${verdict.meaning} verdict">${escapeXml(verdict.text)}</span>, ${escapeXml(outcomeWords(result))}; at most ${peakPods} pods.</p>`;
  return `<section>\n${head}\n${said}\n${isFolded ? `<details><summary>Details of ${escapeXml(scenario.name)}</summary>\n${body}\n</details>` : body}\n</section>`;
}

const escaped = (rows: readonly (readonly string[])[]): string[][] => rows.map((row) => row.map(escapeXml));

function timelineRow(entry: TimelineEntry): string[][] {
  const words = timelineEntryWords(entry);
  return words === undefined ? [] : [[durationWords(entry.seconds), `<span class="${words.meaning}">${escapeXml(words.text)}</span>`]];
}

function callRow(entry: TimelineEntry): string[][] {
  if (entry.kind !== 'webhook' && entry.kind !== 'alert') return [];
  const what = entry.kind === 'alert' ? 'alert' : entry.webhooks.map(({ name, type }) => `${type} ${name}`).join(', ');
  return [[durationWords(entry.seconds), escapeXml(what), escapeXml(entry.to), `<code>${escapeXml(entry.body)}</code>`]];
}

function writesHtml(timeline: readonly TimelineEntry[]): string {
  const writes = timeline.flatMap((entry) => {
    if (entry.kind !== 'write') return [];
    const { kind, namespace = '', name } = entry.object;
    const lines = entry.changes.flatMap(({ field, before, after }) => [
      escapeXml(field),
      ...(before === undefined ? [] : [`<span class="bad">  - ${escapeXml(before)}</span>`]),
      ...(after === undefined ? [] : [`<span class="good">  + ${escapeXml(after)}</span>`]),
    ]);
    const verb = entry.created ? 'create' : 'change';
    const title = escapeXml(`${durationWords(entry.seconds)}: ${verb} ${kind} ${namespace}/${name}`);
    return [`<details><summary>${title}</summary><pre>${lines.join('\n')}</pre></details>`];
  });
  return writes.length === 0 ? '' : `<h3>Objects that Serin writes</h3>\n${writes.join('\n')}`;
}

function mistakesHtml(mistakes: readonly RehearsalMistake[]): string {
  if (mistakes.length === 0) return '<p class="good">No mistake found.</p>';
  const items = mistakes.map((mistake) => {
    const { severity, rule, message, field, scenario } = mistake;
    const where = [placeWords(mistake), field, scenario];
    return `<div class="mistake ${severity}"><strong>${severity}</strong> ${escapeXml(rule)} <span class="dim">${escapeXml(where.filter(Boolean).join(', '))}</span><br>${escapeXml(message)}</div>`;
  });
  return `<h2>Mistakes</h2>\n${items.join('\n')}`;
}

/** Cells are HTML. `times`: the first column holds times, which do not wrap. */
function table(
  heading: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { times = false, level = 3 }: { times?: boolean; level?: 2 | 3 } = {},
): string {
  if (rows.length === 0) return '';
  const cells = (row: readonly string[]) =>
    row
      .map((cell, index) => `<td${index === 0 && times ? ' class="time"' : /^[\d,.]+$/.test(cell) ? ' class="number"' : ''}>${cell}</td>`)
      .join('');
  const numbers = head.map((_, index) => rows.every((row) => /^[\d,.]+$/.test(row[index] ?? '')));
  return [
    `<h${level}>${escapeXml(heading)}</h${level}>`,
    `<div class="scroll" tabindex="0" role="group" aria-label="${escapeXml(heading)}"><table>`,
    `<thead><tr>${head.map((name, index) => `<th scope="col"${numbers[index] ? ' class="number"' : ''}>${escapeXml(name)}</th>`).join('')}</tr></thead>`,
    `<tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n')}</tbody></table></div>`,
  ].join('\n');
}

const list = (heading: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<h3>${escapeXml(heading)}</h3>\n<ul>${items.map((item) => `<li>${escapeXml(item)}</li>`).join('\n')}</ul>`;

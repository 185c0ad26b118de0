import type { TrafficReport } from '../../reading/documents/canary-documents.ts';
import type { CommandAnswer } from '../output/output.ts';
import { bar } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { cleaned } from '../output/text.ts';
import { textTable } from '../output/text-table.ts';

const BAR = 10;

export function trafficAnswer(report: TrafficReport): CommandAnswer<TrafficReport> {
  const { object, provider, sides, revisions, readFrom } = report;
  return {
    document: report,
    names: [`${object.kind === 'Canary' ? 'canary.flagger.app' : 'service.serving.knative.dev'}/${object.name}`],
    lines: (terminal, wide) => [
      cleaned(`${object.kind} ${object.namespace}/${object.name}, provider ${provider}`, terminal),
      ...(sides ? sideLines(report, sides, terminal) : []),
      ...(revisions ? revisionLines(revisions, terminal) : []),
      ...(wide ? readFrom.map((from) => cleaned(`read from ${from}`, terminal)) : []),
    ],
  };
}

function sideLines(
  { traffic, unreadable, matching }: TrafficReport,
  { primary, canary }: NonNullable<TrafficReport['sides']>,
  terminal: Terminal,
): string[] {
  if (unreadable !== undefined) return [cleaned(`not a split of primary and canary: ${unreadable}`, terminal)];
  if (traffic === undefined) return ['no route yet'];
  const where = matching ? ' of the requests that match' : '';
  const gets = {
    weighted: [`${bar(traffic.primary, BAR, terminal)}${where}`, `${bar(traffic.canary, BAR, terminal)}${where}`],
    matched: ['all other requests', 'requests that match'],
    mirrored: [bar(100, BAR, terminal), `copies of ${traffic.canary}%`],
  }[traffic.kind];
  const rows = [
    ['primary', primary, gets[0] ?? ''],
    ['canary', canary, gets[1] ?? ''],
  ];
  return textTable([], rows, terminal, { indent: 2 });
}

function revisionLines(revisions: NonNullable<TrafficReport['revisions']>, terminal: Terminal): string[] {
  const rows = revisions.map(({ revision, latest, percent, tag = '-', url = '-' }) => [
    revision === undefined ? '@latest' : `${revision}${latest ? ' (@latest)' : ''}`,
    bar(percent, BAR, terminal),
    tag,
    url,
  ]);
  return textTable(['REVISION', 'TRAFFIC', 'TAG', 'URL'], rows, terminal, { indent: 2 });
}

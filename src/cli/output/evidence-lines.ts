import type { EvidencePoint } from '../../reading/documents/compared-report.ts';
import { sparkline } from '../view/sparkline.ts';
import type { Terminal } from './terminal.ts';
import { textTable } from './text-table.ts';

const MOST_BARS = 40;
/** Both scales end at the decision. */
const TO_DECISION = { min: 0, max: 100 };

/** Growth of the evidence, two lines for each metric; empty without any. */
export function evidenceLines(points: readonly EvidencePoint[], terminal: Terminal): string[] {
  const rows = [...Map.groupBy(points, ({ metric }) => metric)].flatMap(([metric, all]) => {
    const last = all.at(-1);
    if (last === undefined) return [];
    const bars = thinned(all);
    const row = (what: string, values: number[], now: number) => [what, sparkline(values, TO_DECISION, terminal), `${now}%`];
    return [
      [
        metric,
        last.verdict,
        ...row(
          'against',
          bars.map(({ against }) => against),
          last.against,
        ),
      ],
      [
        '',
        '',
        ...row(
          'in favour',
          bars.map(({ inFavour }) => inFavour),
          last.inFavour,
        ),
      ],
    ];
  });
  return rows.length === 0 ? [] : ['', 'Evidence, in percent of what a decision needs', ...textTable([], rows, terminal, { indent: 2 })];
}

/** Every nth point, and the last one, which decides. */
function thinned(points: readonly EvidencePoint[]): EvidencePoint[] {
  const every = Math.ceil(points.length / MOST_BARS);
  return points.filter((_, at) => (points.length - 1 - at) % every === 0);
}

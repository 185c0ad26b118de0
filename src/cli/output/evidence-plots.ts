import type { EvidencePoint } from '../../reading/documents/compared-report.ts';
import type { Plot, PlotLine } from '../rehearse/html/plot.ts';

/** Evidence over time, one plot for each metric, with the decision as a dashed line. */
export function evidencePlots(points: readonly EvidencePoint[]): Pick<Plot, 'title' | 'unit' | 'lines'>[] {
  return [...Map.groupBy(points, ({ metric }) => metric)].map(([metric, all]) => {
    const [from, to] = [all[0]?.seconds ?? 0, all.at(-1)?.seconds ?? 0];
    const line = (name: string, color: PlotLine['color'], percentOf: (point: EvidencePoint) => number): PlotLine => ({
      name,
      color,
      points: all.map((point) => [point.seconds, percentOf(point)]),
    });
    const decision: PlotLine = {
      ...{ name: 'decision', color: 'limit', isDashed: true },
      points: [
        [from, 100],
        [Math.max(to, from + 1), 100],
      ],
    };
    return {
      title: `Evidence by ${metric}`,
      unit: 'percent of what a decision needs',
      lines: [
        line('against the canary', 's3', ({ against }) => against),
        line('in its favour', 's2', ({ inFavour }) => inFavour),
        decision,
      ],
    };
  });
}

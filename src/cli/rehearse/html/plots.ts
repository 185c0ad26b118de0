import { keptIn } from '../../../base/once.ts';
import { evidencePlots } from '../../output/evidence-plots.ts';
import type { RehearsalResult, TimelineEntry } from '../rehearsal-report.ts';
import { type Plot, type PlotLine, plotSvg } from './plot.ts';

const LEAD_SECONDS = -60;
const MOST_POINTS = 240;

/** Weights, requests, errors, pods, and each check with its limit. */
export function plotsOf(result: RehearsalResult): string {
  if (result.samples.length === 0) return '';
  const toSeconds = Math.max(result.seconds.total, 60) + 10;
  const within = (seconds: number): boolean => seconds >= LEAD_SECONDS && seconds <= toSeconds;
  const marks = result.timeline.flatMap((entry) =>
    (entry.kind === 'scenario' || entry.kind === 'phase') && within(entry.seconds)
      ? [{ seconds: entry.seconds, text: entry.kind === 'phase' ? entry.phase : entry.message }]
      : [],
  );
  const frame = { fromSeconds: LEAD_SECONDS, toSeconds, marks };
  const samples = thinned(result.samples.filter(({ seconds }) => within(seconds)));
  const sampled = (name: string, color: PlotLine['color'], countIn: (sample: RehearsalResult['samples'][number]) => number): PlotLine => ({
    name,
    color,
    points: samples.map((sample) => [sample.seconds, countIn(sample)]),
  });
  const plots: Plot[] = [
    { ...frame, title: 'Canary weight', unit: 'percent of requests', lines: [weightLine(result.timeline, toSeconds)] },
    {
      ...frame,
      title: 'Requests of users',
      unit: 'in 10 s',
      lines: [
        sampled('old version', 's1', ({ requests }) => requests.old.sent),
        sampled('new version', 's2', ({ requests }) => requests.new.sent),
      ],
    },
    {
      ...frame,
      title: 'Errors that users saw',
      unit: 'in 10 s',
      lines: [
        sampled('old version', 's1', ({ requests }) => requests.old.failed),
        sampled('new version', 's2', ({ requests }) => requests.new.failed),
        sampled('a proxy', 's3', ({ requests }) => requests.none.failed),
      ],
    },
    {
      ...frame,
      title: 'Pods',
      unit: 'running',
      lines: [sampled('old version', 's1', ({ pods }) => pods.old), sampled('new version', 's2', ({ pods }) => pods.new)],
    },
    ...evidencePlots(result.evidence ?? []).map((plot) => ({ ...frame, ...plot })),
    ...checkPlots(result).map((plot) => ({ ...frame, ...plot })),
  ];
  return plots.map(plotSvg).join('\n');
}

function weightLine(timeline: readonly TimelineEntry[], toSeconds: number): PlotLine {
  const changes = timeline.flatMap((entry) =>
    entry.kind === 'traffic' && entry.seconds >= 0 ? [[entry.seconds, entry.canaryWeight] as const] : [],
  );
  const last = changes.at(-1)?.[1] ?? 0;
  return { name: 'canary', color: 's2', isStep: true, points: [[LEAD_SECONDS, 0], ...changes, [toSeconds, last]] };
}

function checkPlots({ timeline, checks: ranges }: RehearsalResult): Pick<Plot, 'title' | 'unit' | 'lines'>[] {
  const checks = new Map<string, [number, number][]>();
  for (const entry of timeline) {
    if (entry.kind !== 'checks') continue;
    for (const { check, value } of entry.checks) if (value !== undefined) keptIn(checks, check, () => []).push([entry.seconds, value]);
  }
  return [...checks].map(([name, points]) => {
    const ends = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0] as const;
    const { min, max } = ranges.find(({ check }) => check === name) ?? {};
    const limits = Object.entries({ minimum: min, maximum: max }).flatMap(([what, value]) =>
      value === undefined ? [] : [{ what, value }],
    );
    const drawn = limits.map(
      ({ what, value }): PlotLine => ({
        name: `${what} ${value}`,
        color: 'limit',
        isDashed: true,
        points: [
          [ends[0], value],
          [Math.max(ends[1], ends[0] + 1), value],
        ],
      }),
    );
    return { title: `Check ${name}`, unit: '', lines: [{ name, color: 's4', points }, ...drawn] };
  });
}

/** Sums of neighbours would need other units: of a long release every nth sample is shown. */
function thinned<T>(samples: readonly T[]): T[] {
  const every = Math.ceil(samples.length / MOST_POINTS);
  return samples.filter((_, index) => index % every === 0);
}

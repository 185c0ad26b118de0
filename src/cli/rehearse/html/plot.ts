import { escapeXml } from '../../output/text.ts';

/** A line of a plot; `step`: a value holds until the next one. */
export interface PlotLine {
  name: string;
  /** One of the colours `s1` … `s4` of the page. */
  color: 's1' | 's2' | 's3' | 's4' | 'limit';
  points: readonly (readonly [seconds: number, value: number])[];
  isStep?: boolean;
  isDashed?: boolean;
}

/** One diagram of the HTML report. */
export interface Plot {
  title: string;
  unit: string;
  lines: readonly PlotLine[];
  fromSeconds: number;
  toSeconds: number;
  /** Vertical lines. */
  marks: readonly { seconds: number; text: string }[];
}

const WIDTH = 720;
const HEIGHT = 220;
const LEFT = 56;
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 30;

/** An SVG figure with axes, a legend in text, and a description for readers who cannot see it. */
export function plotSvg({ title, unit, lines, fromSeconds, toSeconds, marks }: Plot): string {
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
  const top = niceTop(Math.max(0, ...values));
  const bottom = niceBottom(Math.min(...values, top), top);
  const x = (seconds: number) => at(LEFT + ((seconds - fromSeconds) / Math.max(1, toSeconds - fromSeconds)) * (WIDTH - LEFT - RIGHT));
  const y = (value: number) => at(TOP + (1 - (value - bottom) / Math.max(1e-9, top - bottom)) * (HEIGHT - TOP - BOTTOM));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => bottom + part * (top - bottom));
  const grid = ticks.map(
    (value) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text class="tick" x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${label(value)}</text>`,
  );
  const times = timeTicks(fromSeconds, toSeconds).map(
    (seconds) => `<text class="tick" x="${x(seconds)}" y="${HEIGHT - 10}" text-anchor="middle">${minutes(seconds)}</text>`,
  );
  const marked = marks.map(
    ({ seconds, text }) =>
      `<line class="mark" x1="${x(seconds)}" x2="${x(seconds)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"><title>${escapeXml(text)}</title></line>`,
  );
  const drawn = lines.map(
    ({ name, color, points, isStep = false, isDashed = false }) =>
      `<path class="line ${color}${isDashed ? ' dashed' : ''}" d="${pathOf(points, { x, y, isStep })}"><title>${escapeXml(name)}</title></path>`,
  );
  const legend = lines.map(
    ({ name, color, isDashed }) => `<li><span class="key ${color}${isDashed ? ' dashed' : ''}"></span>${escapeXml(name)}</li>`,
  );
  const spoken = `${title}: ${lines.map(({ name, points }) => `${name} ends at ${label(points.at(-1)?.[1] ?? 0)} ${unit}`).join(', ')}`;
  return [
    '<figure>',
    `<figcaption>${escapeXml(title)} <span class="unit">${escapeXml(unit)}</span></figcaption>`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(spoken)}">`,
    ...grid,
    ...times,
    ...marked,
    ...drawn,
    '</svg>',
    `<ul class="legend">${legend.join('')}</ul>`,
    '</figure>',
  ].join('\n');
}

type Scale = (value: number) => number;

function pathOf(points: readonly (readonly [number, number])[], { x, y, isStep }: { x: Scale; y: Scale; isStep: boolean }): string {
  return points
    .map(([seconds, value], index) => {
      if (index === 0) return `M${x(seconds)} ${y(value)}`;
      return isStep ? `H${x(seconds)}V${y(value)}` : `L${x(seconds)} ${y(value)}`;
    })
    .join('');
}

const at = (value: number): number => Math.round(value * 10) / 10;

/** 1, 2, 4, 5 or 10 times a power of ten. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 4, 5, 10] as const).find((factor) => factor * power >= value) ?? 10) * power;
}

/** Values that are all near the top, as success rates, are shown from below the smallest one. */
function niceBottom(least: number, top: number): number {
  if (least < top / 2) return 0;
  const step = top / 20;
  return Math.max(0, (Math.floor(least / step) - 1) * step);
}

const label = (value: number): string => String(Number(value.toPrecision(3)));

function timeTicks(from: number, to: number): number[] {
  const steps = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];
  const step = steps.find((each) => (to - from) / each <= 8) ?? 604_800;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, index) => first + index * step);
}

const minutes = (seconds: number): string =>
  seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds < 0 ? '-' : ''}${Math.floor(Math.abs(seconds) / 60)}m${Math.abs(seconds) % 60}s`;

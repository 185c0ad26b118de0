import type { ComponentChildren } from 'preact';
import type { CanaryName, PointView } from '../wire.ts';
import { words } from './words.ts';

/** The address of a Canary's page, or of its data with `/api` before it. */
export const canaryPath = ({ namespace, name }: CanaryName, rest = ''): string => `/canaries/${namespace}/${name}${rest}`;

const MEANINGS: Readonly<Record<string, string>> = {
  Succeeded: 'good',
  Initialized: 'good',
  passed: 'good',
  fine: 'good',
  bad: 'bad',
  Failed: 'bad',
  failed: 'bad',
  Waiting: 'wait',
  WaitingPromotion: 'wait',
  'deleted, primary kept': 'wait',
  unmeasured: 'wait',
  closed: 'wait',
  unreachable: 'wait',
};

export const PhaseBadge = ({ phase, suspended = false }: { phase: string; suspended?: boolean }) => (
  <span class={`phase ${suspended ? 'paused' : (MEANINGS[phase] ?? '')}`}>
    {phase || words.unseen}
    {suspended ? ` (${words.suspended})` : ''}
  </span>
);

export const Bar = ({ weight }: { weight: number }) => (
  <svg class="bar" role="img" aria-label={words.canaryWeight(weight)}>
    <rect class="ground" width="100%" height="8" rx="4" />
    <rect class="part" width={`${Math.min(100, Math.max(0, weight))}%`} height="8" rx="4" />
  </svg>
);

export const Card = ({ title, isWide = false, children }: { title: string; isWide?: boolean; children: ComponentChildren }) => (
  <div class={isWide ? 'card wide' : 'card'}>
    <h2>{title}</h2>
    {children}
  </div>
);

export const Table = ({
  title,
  heads,
  rows,
}: {
  title: string;
  heads: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}) => (
  // A region that scrolls must be reached by the keyboard.
  <section class="scroll" aria-label={title} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th scope="col" key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, index) => (
          <tr key={index}>
            {cells.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const WIDTH = 600;
const HEIGHT = 160;
const [LEFT, TOP, BOTTOM] = [44, 10, 140] as const;

/** Values over time; each line begins at the left. Weights are steps between 0 and 100; without a range, values are joined and fill the height with their limits. */
export function Chart({
  title,
  lines,
  range,
  limits = [],
}: {
  title: string;
  lines: readonly (readonly PointView[])[];
  range?: readonly [number, number];
  limits?: readonly number[];
}) {
  const spans = lines.map((points) => (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0));
  const span = Math.max(1_000, ...spans);
  const [low, high] = range ?? rangeOf([...lines.flat().map(({ value }) => value), ...limits]);
  const x = (ms: number) => LEFT + (ms / span) * (WIDTH - LEFT - 6);
  const y = (value: number) => BOTTOM - ((value - low) / (high - low)) * (BOTTOM - TOP);
  const pathTo = (points: readonly PointView[]) => {
    const [first] = points;
    if (first === undefined) return '';
    const steps = points.map(({ atMs, value }) => {
      const [to, at] = [x(atMs - first.atMs).toFixed(1), y(value).toFixed(1)];
      return range ? `H${to}V${at}` : `L${to},${at}h0.1`;
    });
    return `M${LEFT},${y(first.value).toFixed(1)}${steps.join('')}`;
  };
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
      {[low, (low + high) / 2, high].map((value) => (
        <g key={value}>
          <line class="grid" x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
          <text x="2" y={y(value) + 4}>
            {short(value)}
          </text>
        </g>
      ))}
      <text x={WIDTH - 90} y={HEIGHT - 5}>
        {lasts(span)}
      </text>
      {limits.map((limit) => (
        <line key={limit} class="limit" x1={LEFT} x2={WIDTH} y1={y(limit)} y2={y(limit)} />
      ))}
      {lines.map((points, index) => (
        <path key={index} class={index === 0 ? 'line' : 'line second'} d={pathTo(points)} />
      ))}
    </svg>
  );
}

/** The weight of the canary, in percent. */
export const WeightChart = ({ title, lines }: { title: string; lines: readonly (readonly PointView[])[] }) => (
  <Chart title={title} lines={lines} range={[0, 100]} />
);

function rangeOf(values: readonly number[]): [number, number] {
  const [low, high] = values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  if (low !== high) return [low, high];
  return low === 0 ? [0, 1] : [Math.min(0, low), Math.max(0, high)];
}

export function Spark({ values, title }: { values: readonly number[]; title: string }) {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) => 20 - ((value - low) / (high - low || 1)) * 18;
  const points = values.map((value, index) => `${(index / (values.length - 1)) * 108 + 1},${y(value).toFixed(1)}`);
  return (
    <svg class="spark" role="img" aria-label={`${title}: ${values.map(short).join(', ')}`}>
      <polyline class="line" points={points.join(' ')} />
    </svg>
  );
}

export const short = (value: number): string => String(Math.round(value * 100) / 100);

/** A time span in words. */
export function lasts(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} d`;
}

/** A revision, cut to what tells it from others. */
export const revisionText = (revision = ''): string => revision.replace(/^s1:/, '').slice(0, 7);

export const timeText = (at: string | number | undefined): string => (at === undefined ? '' : new Date(at).toLocaleString());

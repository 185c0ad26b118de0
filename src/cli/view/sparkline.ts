import type { Limit } from '../../metrics/limit.ts';
import type { Terminal } from '../output/terminal.ts';

const BARS = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.-=#' } as const;

/**
 * The last values as a line of bars. The scale also reaches over the limit: beside a minimum the lowest bar is the limit unless a value is below it. Equal
 * values are level. Empty for fewer than two.
 */
export function sparkline(values: readonly number[], { min, max }: Limit, { unicode }: Pick<Terminal, 'unicode'>): string {
  if (values.length < 2) return '';
  const bars = unicode ? BARS.unicode : BARS.ascii;
  // Below a maximum the scale begins at 0.
  const floor = max !== undefined && min === undefined && values.every((value) => value >= 0) ? [0] : [];
  const marks = [...values, ...[min, max].filter((bound) => bound !== undefined), ...floor].filter(Number.isFinite);
  const [least, greatest] = [Math.min(...marks), Math.max(...marks)];
  const top = bars.length - 1;
  const heightOf = (value: number) => {
    if (!Number.isFinite(value)) return value > 0 ? top : 0;
    return greatest === least ? Math.floor(top / 2) : Math.round(((value - least) / (greatest - least)) * top);
  };
  return values.map((value) => bars[heightOf(value)]).join('');
}

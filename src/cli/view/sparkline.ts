import type { Terminal } from '../output/terminal.ts';

const BARS = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.-=#' } as const;

/** The last values as a line of bars, from their least to their greatest; equal values are level. Empty: fewer than two. */
export function sparkline(values: readonly number[], { unicode }: Pick<Terminal, 'unicode'>): string {
  if (values.length < 2) return '';
  const bars = unicode ? BARS.unicode : BARS.ascii;
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const top = bars.length - 1;
  const heightOf = (value: number) => (greatest === least ? Math.floor(top / 2) : Math.round(((value - least) / (greatest - least)) * top));
  return values.map((value) => bars[heightOf(value)]).join('');
}

import type { LabelSet } from './series.ts';

export interface ExposedSample {
  labels: LabelSet;
  value: number;
  /** Epoch milliseconds, when the application gives one. */
  tMs?: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)\s*(\{)?/;
const LABEL = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|\})/y;

/**
 * Samples of a text exposition (format 0.0.4). Throws with the line's number at the first line that is none, since Prometheus
 * refuses the whole scrape then. `known` keeps the labels of series by how they are written: most come again with the next scrape.
 */
export function parseExposition(text: string, known: Map<string, LabelSet> = new Map()): ExposedSample[] {
  const samples: ExposedSample[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const sample = parseKnown(line, known) ?? parseLine(line, known);
    if (!sample) throw new Error(`line ${index + 1} is no sample: ${line.slice(0, 80)}`);
    samples.push(sample);
  }
  return samples;
}

/** Labels never end with a space, a value never holds a brace. */
const seriesOf = (line: string): string => line.slice(0, line.lastIndexOf('}') + 1);

function parseKnown(line: string, known: ReadonlyMap<string, LabelSet>): ExposedSample | undefined {
  const series = seriesOf(line);
  const labels = known.get(series);
  return labels && sampleOf(labels, line.slice(series.length));
}

function parseLine(line: string, known: Map<string, LabelSet>): ExposedSample | undefined {
  const head = LINE.exec(line);
  if (!head?.[1]) return undefined;
  const labels: Record<string, string> = { __name__: head[1] };
  let at = head[0].length;
  if (head[2]) {
    const end = parseLabels(line, at, labels);
    if (end === undefined) return undefined;
    at = end;
  }
  const series = seriesOf(line);
  if (series.length === at) known.set(series, labels);
  return sampleOf(labels, line.slice(at));
}

function sampleOf(labels: LabelSet, text: string): ExposedSample | undefined {
  const [valueText = '', timeText, ...rest] = text.trim().split(/\s+/);
  const value = parseFloatText(valueText);
  if (value === undefined || rest.length > 0) return undefined;
  if (timeText === undefined) return { labels, value };
  return /^-?\d+$/.test(timeText) ? { labels, value, tMs: Number(timeText) } : undefined;
}

function parseLabels(line: string, from: number, into: Record<string, string>): number | undefined {
  let at = from;
  while (!/^\s*\}/.test(line.slice(at))) {
    LABEL.lastIndex = at;
    const label = LABEL.exec(line);
    if (!label) return undefined;
    into[label[1] as string] = (label[2] as string).replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    at = LABEL.lastIndex;
    if (label[3] === '}') return at;
  }
  return line.indexOf('}', at) + 1;
}

/** A float as Go's ParseFloat reads it: JavaScript's `Number` knows neither `+Inf` nor `NaN` in other spellings. */
export function parseFloatText(text: string): number | undefined {
  if (/^nan$/i.test(text)) return Number.NaN;
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

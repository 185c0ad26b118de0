import type { LabelSet } from './series.ts';

export interface ExposedSample {
  labels: LabelSet;
  value: number;
  /** Epoch milliseconds, when the application gives one. */
  tMs?: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)\s*(\{)?/;
const LABEL = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|\})/y;

/** Throws with the line's number where Prometheus would refuse the whole scrape. */
export const parseExposition = (text: string): ExposedSample[] => new ExpositionReader().read(text);

/** `head`: the series in its written form, or the whole line if it has no sample or no label. */
interface SampleLine {
  head: string;
  rest: string;
  sample?: ExposedSample;
}

/** Reads expositions of one target, of which each resembles the previous one: a repeated line is not parsed again. */
export class ExpositionReader {
  /** Labels of series by how they are written. */
  readonly #known = new Map<string, LabelSet>();
  #lines: readonly SampleLine[] = [];

  /**
   * Samples of a text exposition (format 0.0.4); that of an unchanged line is the same object. Throws with the line's number at the first invalid line, since
   * Prometheus refuses the whole scrape then.
   */
  read(text: string): ExposedSample[] {
    const lines: SampleLine[] = [];
    const samples: ExposedSample[] = [];
    let next = 0;
    for (let at = 0; at <= text.length; ) {
      const before = this.#lines[next];
      let line = before && isAt(text, at, before) ? before : undefined;
      if (line === undefined) {
        const found = text.indexOf('\n', at);
        const raw = text.slice(at, found === -1 ? text.length : found);
        line = this.#parse(raw, before);
        if (line === undefined) throw new Error(`line ${lines.length + 1} is not a sample: ${raw.trim().slice(0, 80)}`);
      }
      // Else it is a new one, and the one from before comes later.
      if (line.head === before?.head) next += 1;
      lines.push(line);
      if (line.sample) samples.push(line.sample);
      at += line.head.length + line.rest.length + 1;
    }
    this.#lines = lines;
    return samples;
  }

  #parse(raw: string, before: SampleLine | undefined): SampleLine | undefined {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return { head: copied(raw), rest: '' };
    if (before?.sample && before.rest !== '' && line.startsWith(before.head)) {
      const rest = line.slice(before.head.length);
      const sample = sampleOf(before.sample.labels, rest);
      if (sample && line.length === raw.length) return { head: before.head, rest, sample };
    }
    const head = seriesOf(line);
    const known = this.#known.get(head);
    const sample = known ? sampleOf(known, line.slice(head.length)) : parseLine(line, this.#known);
    if (sample === undefined) return undefined;
    // Whole, where it could be mistaken for the beginning of another.
    const hasHead = this.#known.get(head) === sample.labels && line.length === raw.length;
    return hasHead ? { head: copied(head), rest: copied(line.slice(head.length)), sample } : { head: copied(raw), rest: '', sample };
  }
}

function isAt(text: string, at: number, { head, rest }: SampleLine): boolean {
  const end = at + head.length + rest.length;
  return text.startsWith(head, at) && text.startsWith(rest, at + head.length) && (end === text.length || text[end] === '\n');
}

/** Part of a string keeps the whole of it in memory. */
const copied = (part: string): string => Buffer.from(part).toString();

/** Labels never end with a space, a value never holds a brace. */
const seriesOf = (line: string): string => line.slice(0, line.lastIndexOf('}') + 1);

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
  if (series.length === at) known.set(copied(series), labels);
  return sampleOf(labels, line.slice(at));
}

/** Form of most samples: no time, and a value that `Number` reads as Go does. */
const PLAIN = /^ \d+(?:\.\d+)?$/;

function sampleOf(labels: LabelSet, text: string): ExposedSample | undefined {
  if (PLAIN.test(text)) return { labels, value: Number(text) };
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

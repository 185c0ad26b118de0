import type { SideCounters } from '../api/observer.ts';
import type { LatencyPlan } from '../judge/latency.ts';

export const sides = ['canary', 'primary'] as const;
export type Side = (typeof sides)[number];

/** Selectors of both sides' counters with all names filled in. */
export interface RenderedCounters {
  canary: SideCounters;
  primary: SideCounters;
  bucketUnit: 'ms' | 's';
  podLabel?: string;
}

/** Times at which counters are read; epoch milliseconds. */
export interface ReadingMoments {
  fromMs: number;
  toMs: number;
}

/** The label that distinguishes the parts of one answer: side, kind and moment, with a space between them. */
export const PART = 'serin_part';
export const ofPart = (...words: string[]): string => words.join(' ');

/** Time for which Prometheus looks back for the last sample of a series (`--query.lookback-delta`). Milliseconds. */
const LOOKBACK_MS = 300_000;
/** A series that returns within this time is not a new one. */
const RETURNS_WITHIN = '1h';

/** All requests and the successful ones, of both sides at both moments. Nothing in it is extrapolated: windows that follow each other read the same numbers. */
export function errorsQuery(counters: RenderedCounters, moments: ReadingMoments): string {
  const by = labelsOf(counters);
  return sides
    .flatMap((side) => {
      const { requests, succeeded } = counters[side];
      return [
        ...atBothEnds(side, 'all', moments, (at) => `sum by (${by}) (${requests}${at})`),
        ...atBothEnds(side, 'succeeded', moments, (at) => `sum by (${by}) (${succeeded}${at})`),
        ...interruptions(side, requests, by, moments),
        ...newest(side, requests, by, moments),
      ];
    })
    .join(' or ');
}

/** Requests up to the two bounds of the plan, and all of them, of both sides at both moments. */
export function latencyQuery(counters: RenderedCounters, moments: ReadingMoments, plan: LatencyPlan): string {
  const by = labelsOf(counters);
  const bounds = [plan.primaryMs, plan.canaryMs].map((boundMs) => boundPattern(inUnit(boundMs, counters.bucketUnit)));
  return sides
    .flatMap((side) => {
      const { buckets } = counters[side];
      const wanted = narrowed(buckets, `le=~"${[...bounds, '\\\\+Inf'].join('|')}"`);
      return [
        ...atBothEnds(side, 'all', moments, (at) => `sum by (${by},le) (${wanted}${at})`),
        ...interruptions(side, allOf(buckets), by, moments),
        ...newest(side, allOf(buckets), by, moments),
      ];
    })
    .join(' or ');
}

/** The last bucket, which has every request. */
export const allOf = (buckets: string): string => narrowed(buckets, 'le="+Inf"');

const narrowed = (selector: string, matcher: string): string => `${selector.slice(0, -1)},${matcher}}`;

const labelsOf = ({ podLabel = 'instance' }: RenderedCounters): string => [...new Set(['instance', podLabel])].join(',');

export const seconds = (ms: number): string => (ms / 1000).toFixed(3);
export const part = (name: string, expression: string): string => `label_replace(${expression},"${PART}","${name}","","")`;

function atBothEnds(side: Side, kind: string, { fromMs, toMs }: ReadingMoments, expression: (at: string) => string): string[] {
  return [
    part(ofPart(side, kind, 'from'), expression(` @ ${seconds(fromMs)}`)),
    part(ofPart(side, kind, 'to'), expression(` @ ${seconds(toMs)}`)),
  ];
}

/** Scrape time of the newest visible sample: seconds. */
const newest = (side: Side, selector: string, by: string, moments: ReadingMoments): string[] =>
  atBothEnds(side, 'newest', moments, (at) => `max by (${by}) (timestamp(${selector}${at}))`);

/**
 * Reasons for which a difference of two sums can be wrong: a counter that was reset since the sample before the window, a series that ended, or a series that
 * was missing for a while and returned with its old count. A series that is really new counts from zero.
 */
function interruptions(side: Side, selector: string, by: string, { fromMs, toMs }: ReadingMoments): string[] {
  const [from, to] = [` @ ${seconds(fromMs)}`, ` @ ${seconds(toMs)}`];
  const resets = (rangeMs: number, at: string) => `sum by (${by}) (resets(${selector}[${Math.ceil(rangeMs)}ms]${at}))`;
  const ended = `${selector}${from} unless ${selector}${to}`;
  const returned = `(${selector}${to} unless ${selector}${from}) and present_over_time(${selector}[${RETURNS_WITHIN}]${from})`;
  return [
    part(ofPart(side, 'resets', 'from'), resets(LOOKBACK_MS, from)),
    part(ofPart(side, 'resets', 'to'), resets(toMs - fromMs + LOOKBACK_MS, to)),
    part(ofPart(side, 'changed', 'to'), `count by (${by}) (${ended} or ${returned})`),
  ];
}

/** Bounds have few digits; this drops digits that a change of the unit adds. */
const DIGITS = 12;
export const inMs = (bound: number, unit: 'ms' | 's'): number => (unit === 's' ? Number((bound * 1000).toPrecision(DIGITS)) : bound);
const inUnit = (boundMs: number, unit: 'ms' | 's'): number => (unit === 's' ? Number((boundMs / 1000).toPrecision(DIGITS)) : boundMs);

/** A regular expression of the texts that exporters write for a number: `1`, `1.0`, `1e+00`, `1000`, `1e+03`. */
function boundPattern(bound: number): string {
  const [mantissa = '', exponent = ''] = bound.toExponential().split('e');
  const go = `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
  const plain = String(bound);
  const texts = [plain.includes('.') ? `${escaped(plain)}0*` : `${escaped(plain)}(\\\\.0+)?`, escaped(go)];
  return texts.join('|');
}

/** For a regular expression in a PromQL text. */
const escaped = (text: string): string => text.replace(/[.+]/g, '\\\\$&');

import { PART, type Side, sides } from './counter-query.ts';
import type { LabelledSeries } from './providers/metric-provider.ts';

/** Increase of one instance's counters between two moments, by counter. */
export interface InstanceChange {
  /** The pod of the instance, if the counters distinguish pods. */
  pod: string | undefined;
  /** `all` and `succeeded`, or the `le` of each bucket. */
  gained: ReadonlyMap<string, number>;
}

export interface SideChanges {
  instances: readonly InstanceChange[];
  /** A series was found at the end of the window, and one instance has all required counters. */
  isSeen: boolean;
  isComplete: boolean;
  /** An instance of the end of the window did not exist at its start, or was reset since. */
  hasBegunAnew: boolean;
  /** Times at which the newest samples of both moments were scraped; absent without samples. Epoch milliseconds. */
  newestMs: { from?: number; to?: number };
}

/** The counters to read from the parts of an answer. */
export interface CounterNames {
  nameOf(kind: string, labels: LabelledSeries['labels']): string;
  /** An instance that lacks one of these, at either moment, is left out. */
  required: readonly string[];
  /** A counter of these that does not exist yet has counted nothing. */
  optional: readonly string[];
}

interface Readings {
  pod: string | undefined;
  from: Map<string, number>;
  to: Map<string, number>;
  resets: { from: number; to: number };
  isChanged: boolean;
  newestMs: { from?: number; to?: number };
}

/** No process answers more requests in a second: a counter that leaps further was written by mistake, and one such window would outweigh all others. */
const MOST_A_SECOND = 1e7;
/** Maximum age of the sample at the start of a window. */
const LOOKBACK_SECONDS = 300;

/** Maximum that one instance can have counted in a window of this length. */
export const mostGained = (windowMs: number): number => MOST_A_SECOND * (windowMs / 1000 + LOOKBACK_SECONDS);

/** Longest name in Kubernetes, in characters; the status keeps names of pods. */
const LONGEST_NAME = 253;

export type Changes = Readonly<Record<Side, SideChanges>>;

/**
 * The instances of each side that existed at both moments and without interruption between them: the lifetime count of any other would count requests a second
 * time.
 */
export function counterChanges(
  series: readonly LabelledSeries[],
  { podLabel, names, windowMs }: { podLabel: string | undefined; names: CounterNames; windowMs: number },
): Changes | { reason: string } {
  const bySide: Record<Side, Map<string, Readings>> = { canary: new Map(), primary: new Map() };
  for (const { labels, points } of series) {
    const [side, kind = '', end] = (labels[PART] ?? '').split(' ');
    if (!isSide(side) || !(end === 'from' || end === 'to')) return { reason: 'Prometheus gave series without the labels of the query' };
    // Without this label, scrapes of different pods could not be distinguished.
    if (!labels.instance) return { reason: 'the counters have no label instance: keep it where metrics are relabelled or aggregated' };
    if (podLabel && (labels[podLabel] ?? '').length > LONGEST_NAME)
      return { reason: `the label ${podLabel} of the counters has a name that no pod can have` };
    const [point, ...others] = points;
    if (!point || others.length > 0) return { reason: 'Prometheus gave series of more than one moment' };
    const readings = readingsOf(bySide[side], labels, podLabel);
    const [, value] = point;
    if (kind === 'resets') readings.resets[end] = value;
    else if (kind === 'changed') readings.isChanged = true;
    else if (kind === 'newest') readings.newestMs[end] = Math.round(value * 1000);
    else add(readings[end], names.nameOf(kind, labels), value);
  }
  const most = mostGained(windowMs);
  return { canary: changesOf(bySide.canary, names, most), primary: changesOf(bySide.primary, names, most) };
}

/** One bucket can have two texts: `1` and `1.0`. */
const add = (readings: Map<string, number>, name: string, value: number): void =>
  void readings.set(name, (readings.get(name) ?? 0) + value);

const isSide = (text: string | undefined): text is Side => sides.some((side) => side === text);

function readingsOf(known: Map<string, Readings>, labels: LabelledSeries['labels'], podLabel: string | undefined): Readings {
  const pod = podLabel && labels[podLabel];
  const key = JSON.stringify([labels.instance, pod]);
  const found = known.get(key) ?? { pod, from: new Map(), to: new Map(), resets: { from: 0, to: 0 }, isChanged: false, newestMs: {} };
  known.set(key, found);
  return found;
}

function changesOf(instances: ReadonlyMap<string, Readings>, names: CounterNames, most: number): SideChanges {
  const all = [...instances.values()];
  const changes = all.map((readings) => changeOf(readings, names, most));
  return {
    instances: changes.flatMap((change) => change ?? []),
    isSeen: all.some(({ to }) => to.size > 0),
    isComplete: all.some(({ to }) => names.required.every((name) => to.has(name))),
    hasBegunAnew: all.some(({ to }, index) => to.size > 0 && changes[index] === undefined),
    newestMs: newestOf(all),
  };
}

function changeOf(
  { pod, from, to, resets, isChanged }: Readings,
  { required, optional }: CounterNames,
  most: number,
): InstanceChange | undefined {
  if (isChanged || resets.to !== resets.from) return undefined;
  const gained = new Map<string, number>();
  for (const name of required) gained.set(name, changeBetween(from.get(name), to.get(name)));
  for (const name of optional) gained.set(name, changeBetween(from.get(name) ?? 0, to.get(name) ?? 0));
  return [...gained.values()].every((count) => count <= most) ? { pod, gained } : undefined;
}

/** Newest of all instances, at each of the two moments. */
export function newestOf(all: readonly Pick<Readings, 'newestMs'>[]): SideChanges['newestMs'] {
  const newest: SideChanges['newestMs'] = {};
  for (const { newestMs } of all)
    for (const end of ['from', 'to'] as const) {
      const ms = newestMs[end];
      if (ms !== undefined) newest[end] = Math.max(newest[end] ?? ms, ms);
    }
  return newest;
}

/** NaN for a change that no counter makes. */
function changeBetween(from = Number.NaN, to = Number.NaN): number {
  return from >= 0 && to >= from && Number.isFinite(to) ? to - from : Number.NaN;
}

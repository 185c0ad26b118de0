import * as z from 'zod';
import type { Compared } from '../../judge/compared.ts';
import { addPods, type ComparedPods } from '../../judge/pod-spread.ts';
import type { Counts, PodCounts, Window } from '../../judge/window.ts';

const Name = z.string().max(300);
const Count = z.number();
const Full = z.object({ requests: Count, failures: Count });
const FullPods = z.array(Full.extend({ name: Name })).max(1_000);

const MOST_SERVED = 5_000;
/** Maximum number of names: they would fill a part without any counts. */
const MOST_NAMES = 4_000;

/** Requests and failures; a single number has no failures. */
export const NotedCounts = z.union([Count, z.tuple([Count, Count])]);
type NotedCounts = z.infer<typeof NotedCounts>;

/**
 * Number of pods of the canary with requests, and the pods of the primary that the judge follows: only these decide. Pods are identified by their index in the
 * list of names that the part has shown so far; `names` adds to it. Null if a pod is not in this window.
 */
export const NotedPods = z.object({
  canary: z.int().min(1).max(MOST_SERVED),
  primary: z.array(NotedCounts.nullable()).max(MOST_NAMES),
  names: z.array(Name).max(MOST_NAMES).exactOptional(),
});
type NotedPods = z.infer<typeof NotedPods>;

const NotedWindow = z.object({
  fromMs: Count,
  toMs: Count,
  canary: Full,
  primary: Full,
  pods: z.union([NotedPods, z.object({ canary: FullPods, primary: FullPods })]).exactOptional(),
});
/** The last bound is infinite, which JSON cannot express. */
const Bound = Count.nullable().transform((bound) => bound ?? Number.POSITIVE_INFINITY);
/** Without bounds, those of the previous window apply. */
const NotedBuckets = z.object({ boundsMs: z.array(Bound).max(200).exactOptional(), cumulative: z.array(Count).max(200) });

/** Counts in the form of a part. */
export const NotedCompared = z.union([
  z.object({
    metric: Name,
    kind: z.literal('window'),
    window: NotedWindow,
    isFinal: z.literal(true).exactOptional(),
    endsAtSample: z.literal(true).exactOptional(),
  }),
  z.object({ metric: Name, kind: z.literal('history'), primary: z.array(z.union([Full, NotedCounts])).max(2_200) }),
  z.object({ metric: Name, kind: z.literal('buckets'), primary: z.array(NotedBuckets).max(1_000), toMs: Count }),
  z.object({ metric: Name, kind: z.literal('unknown'), reason: z.string().max(2_000) }),
]);
type NotedCompared = z.infer<typeof NotedCompared>;

export const notedCounts = ({ requests, failures }: Counts): NotedCounts => (failures === 0 ? requests : [requests, failures]);

export function countsIn(noted: NotedCounts | Counts): Counts {
  if (typeof noted === 'number') return { requests: noted, failures: 0 };
  return 'requests' in noted ? noted : { requests: noted[0], failures: noted[1] };
}

/** Writes counts of one part in short form, and reads them. Writer and reader see the same windows in the same order, so that they have the same names. */
export class CountsNotes {
  readonly #names: string[] = [];

  /** `before`: pods that the judge knew before this window. */
  noted(compared: Compared, before: ComparedPods | undefined): NotedCompared {
    switch (compared.kind) {
      case 'window': {
        const { pods, ...window } = compared.window;
        const noted = pods && this.notedPods(pods, before);
        return { ...compared, window: { ...window, ...(noted && { pods: noted }) } };
      }
      case 'history':
        return { ...compared, primary: compared.primary.map(notedCounts) };
      case 'buckets':
        return { ...compared, primary: compared.primary.map((one, index, all) => notedBuckets(one, all[index - 1])) };
      case 'unknown':
        return compared;
    }
  }

  /** Undefined if the judge uses none of the pods. */
  notedPods({ canary, primary }: NonNullable<Window['pods']>, before: ComparedPods | undefined): NotedPods | undefined {
    const served = canary.filter(({ requests }) => requests > 0).length;
    if (served === 0) return undefined;
    const followed = addPods(before, { canary, primary })?.primary ?? {};
    const used = new Map(primary.flatMap((pod) => (Object.hasOwn(followed, pod.name) ? [[pod.name, pod] as const] : [])));
    const names = [...used.keys()].filter((name) => !this.#names.includes(name));
    this.#names.push(...names);
    const counts = this.#names.map((name) => used.get(name)).map((pod) => (pod ? notedCounts(pod) : null));
    const last = counts.findLastIndex((one) => one !== null);
    return { canary: Math.min(served, MOST_SERVED), primary: counts.slice(0, last + 1), ...(names.length > 0 && { names }) };
  }

  read(noted: NotedCompared): Compared {
    switch (noted.kind) {
      case 'window': {
        const { pods, ...window } = noted.window;
        return { ...noted, window: { ...window, ...(pods && { pods: isShort(pods) ? this.pods(pods) : pods }) } };
      }
      case 'history':
        return { ...noted, primary: noted.primary.map(countsIn) };
      case 'buckets': {
        let boundsMs: readonly number[] = [];
        return {
          ...noted,
          primary: noted.primary.map((one) => {
            boundsMs = one.boundsMs ?? boundsMs;
            return { boundsMs, cumulative: one.cumulative };
          }),
        };
      }
      case 'unknown':
        return noted;
    }
  }

  pods({ canary, primary, names = [] }: NotedPods): NonNullable<Window['pods']> {
    this.#names.push(...names);
    return {
      canary: Array.from({ length: canary }, (_, index) => ({ name: `canary ${index + 1}`, requests: 1, failures: 0 })),
      primary: primary.flatMap((one, index): PodCounts[] => (one === null ? [] : [{ name: this.#names[index] ?? '', ...countsIn(one) }])),
    };
  }
}

const isShort = (pods: NonNullable<z.infer<typeof NotedWindow>['pods']>): pods is NotedPods => typeof pods.canary === 'number';

function notedBuckets(
  { boundsMs, cumulative }: Extract<Compared, { kind: 'buckets' }>['primary'][number],
  before?: { boundsMs: readonly number[] },
) {
  return { ...(boundsMs.join() === before?.boundsMs.join() ? {} : { boundsMs: [...boundsMs] }), cumulative: [...cumulative] };
}

import type { CanaryCondition, CanaryStatus, Release } from '../../api/canary-status.ts';
import { cutText } from '../../base/cut-text.ts';

/**
 * Bytes of a status that is stored: room enough beside the spec, whose size users decide. Source: etcd refuses a request above 1.5 MiB
 * (`--max-request-bytes`), and takes object and bookkeeping in one.
 */
export const MOST_STATUS_BYTES = 256 * 1024;
const LONGEST_TEXT = 1024;
const MOST_VERDICTS = 50;
const MOST_CONDITIONS = 50;
const MOST_DELIVERIES_BYTES = 64 * 1024;

type Shrink = (status: CanaryStatus) => CanaryStatus;
const ofRelease =
  (shrink: (release: Release) => Release): Shrink =>
  (status) =>
    status.release ? { ...status, release: shrink(status.release) } : status;

/** Order of the cuts: text that is only shown goes first, and state that a release needs after a restart last. */
const steps: readonly (readonly [what: string, Shrink])[] = [
  ['the end of long texts', (status) => shortened(status)],
  ['recent measurements', ofRelease(({ recent: _, weights: _weights, ...release }) => release)],
  ['earlier releases', ofRelease(({ pastReleases: _, ...release }) => release)],
  ['trackedConfigs', ({ trackedConfigs: _, ...status }) => status],
  ['verdicts', ofRelease((release) => ({ ...release, ...(release.verdicts && { verdicts: worst(release.verdicts) }) }))],
  [
    'the oldest deliveries (alerts and hooks, which can be lost)',
    ofRelease((release) => ({ ...release, ...(release.deliveries && { deliveries: newest(release.deliveries) }) })),
  ],
  ['conditions', (status) => ({ ...status, ...(status.conditions && { conditions: fewer(status.conditions) }) })],
  ['requests', ofRelease(({ requests = [], ...release }) => ({ ...release, requests: requests.slice(-1) }))],
  ['routes of the previous spec', ofRelease(({ leftRoutes: _, ...release }) => release)],
  ['the spec that routes were written for', ofRelease(({ routedFor: _, ...release }) => release)],
];

/** The status as it can be stored, and what was left out of it; the same for the same status. */
export function fitStatus(status: CanaryStatus, mostBytes = MOST_STATUS_BYTES): { status: CanaryStatus; left: readonly string[] } {
  let fit = status;
  const left: string[] = [];
  for (const [what, shrink] of steps) {
    const bytes = bytesOf(fit);
    if (bytes <= mostBytes) break;
    const smaller = shrink(fit);
    if (bytesOf(smaller) >= bytes) continue;
    fit = smaller;
    left.push(what);
  }
  return { status: fit, left };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Fields that are not cut: half a pattern of a route is another one. */
const WHOLE = new Set(['routedFor', 'leftRoutes', 'listedRoutes', 'routes', 'heldRoutes']);

function shortened<T>(value: T): T {
  if (typeof value === 'string') return cutText(value, LONGEST_TEXT) as T;
  if (Array.isArray(value)) return value.map((one) => shortened(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, WHOLE.has(key) ? one : shortened(one)])) as T;
}

type Verdicts = NonNullable<Release['verdicts']>;

/** The worst verdicts, in their order. */
function worst(verdicts: Verdicts): Verdicts {
  const bad = verdicts.filter(({ verdict }) => verdict !== 'passed');
  const kept = new Set([...bad, ...verdicts.filter(({ verdict }) => verdict === 'passed')].slice(0, MOST_VERDICTS));
  return verdicts.filter((one) => kept.has(one));
}

/** `Promoted` is the first condition, and our other conditions are the last. */
const fewer = (conditions: readonly CanaryCondition[]): CanaryCondition[] =>
  conditions.length > MOST_CONDITIONS ? [...conditions.slice(0, 1), ...conditions.slice(1 - MOST_CONDITIONS)] : [...conditions];

type Deliveries = NonNullable<Release['deliveries']>;

function newest(deliveries: Deliveries): Deliveries {
  const kept: Deliveries = [];
  let bytes = 0;
  for (const delivery of deliveries.toReversed()) {
    bytes += bytesOf(delivery);
    if (bytes > MOST_DELIVERIES_BYTES) break;
    kept.push(delivery);
  }
  return kept.toReversed();
}

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { aCanary, World } from '../../test/fakes/world.ts';
import { Release } from '../api/canary-status.ts';
import { noSupport } from '../judge/ratio-evidence.ts';
import { ComparedSoFar } from './comparison/compared-so-far.ts';
import { byOwnClock } from './recorded-times.ts';

const NOW_MS = 10_000_000;
const INTERVAL_MS = 10_000;

/** A release in progress that was recorded just now by a clock that is ahead. */
function recorded(aheadMs: number): Release {
  const world = new World(aCanary());
  world.nowMs = NOW_MS + aheadMs - 40_000;
  world.begin();
  world.tick();
  world.pushUntil('s1:b', ({ step }) => step === 'analysing');
  return { ...world.release, stepStartedMs: NOW_MS + aheadMs, wakeAtMs: NOW_MS + aheadMs + INTERVAL_MS };
}

const facts = (writerBehindMs?: number) => ({
  nowMs: NOW_MS,
  intervalMs: INTERVAL_MS,
  ...(writerBehindMs !== undefined && { writerBehindMs }),
});

describe('E144: a release that a process with another clock has recorded', () => {
  it('is not changed if no time lies ahead and the other clock was not behind', () => {
    const release = recorded(0);
    expect(byOwnClock(release, facts())).toBe(release);
  });

  it('keeps the distances between its times, and the newest one is now', () => {
    const before = recorded(300_000);
    const after = byOwnClock(before, facts());
    expect(after).toMatchObject({
      startedMs: before.startedMs - 300_000,
      stepStartedMs: NOW_MS,
      wakeAtMs: NOW_MS + INTERVAL_MS,
      shiftedMs: -300_000,
    });
  });

  it('has its true age if the lead of the other clock is known', () => {
    expect(byOwnClock(recorded(290_000), facts(-300_000))).toMatchObject({ stepStartedMs: NOW_MS - 10_000, wakeAtMs: NOW_MS });
  });

  it('does not become older by a difference that no recorded time proves', () => {
    const release = recorded(-10_000);
    expect(byOwnClock(release, facts(-300_000))).toBe(release);
  });

  it('is as old as the other clock says, if that clock was behind', () => {
    const before = recorded(-300_000);
    expect(byOwnClock(before, facts(300_000))).toMatchObject({ stepStartedMs: NOW_MS, wakeAtMs: NOW_MS + INTERVAL_MS, shiftedMs: 300_000 });
    expect(byOwnClock(before, facts(100_000))).toMatchObject({ stepStartedMs: NOW_MS - 200_000 });
  });

  it('is never read as later than now, however far the other clock was behind', () => {
    expect(byOwnClock(recorded(-300_000), facts(Number.MAX_SAFE_INTEGER))).toMatchObject({ stepStartedMs: NOW_MS });
  });

  it('has its check within one interval, also if nothing else was recorded for a while', () => {
    const release = { ...recorded(-600_000), wakeAtMs: NOW_MS + 250_000 };
    expect(byOwnClock(release, facts()).wakeAtMs).toBe(NOW_MS + INTERVAL_MS);
  });

  it('keeps the sum of all moves, so that the moment of a hook stays the same', () => {
    const once = byOwnClock(recorded(300_000), facts());
    const twice = byOwnClock(once, { ...facts(), nowMs: NOW_MS - 50_000 });
    expect([twice.stepStartedMs, twice.shiftedMs]).toEqual([NOW_MS - 50_000, -350_000]);
  });
});

/** Numbers of milliseconds of a release that are not moved, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  shiftedMs: 'a duration',
  clockAheadMs: 'a duration',
  'failing.unreadyMs': 'a duration',
  dueMs: 'made again with each status',
  'undo.atMs': 'by the clock of the user',
  'restart.atMs': 'by the clock of the user',
  'retry.atMs': 'by the clock of the user',
  'deliveries.alert.details.ending.atMs': 'part of a message',
};

/** Paths of the fields whose names end in `Ms`. */
function momentsOf(schema: JsonSchema, path = ''): string[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    name.endsWith('Ms') ? [`${path}${name}`] : momentsOf(field, `${path}${name}.`),
  );
  const inside = [schema.items, schema.additionalProperties].filter((one) => typeof one === 'object');
  return [...fields, ...[...inside, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((one) => momentsOf(one, path))];
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

it('E144: moves each time of a release', () => {
  const at = { atMs: NOW_MS + 300_000 };
  const since = { sinceMs: NOW_MS + 300_000 };
  const all = {
    ...recorded(300_000),
    ...{ awaitedSinceMs: 1, blindSinceMs: 1, measuredFromMs: 1, othersUntilMs: 1 },
    capacity: { side: 'primary' as const, pods: 1, reachedMs: 1 },
    failing: { crashes: 0, lost: 0, ends: {}, unreadyMs: 7, judgedMs: 1, unreadySinceMs: 1 },
    paused: { by: 'me', ...since },
    gateClosed: { webhook: 'w', type: 'confirm-rollout', ...since },
    ending: { code: 'Cancelled' as const, detail: 'd', ...at },
    weights: [{ weight: 1, ...at }],
    recent: { errors: [{ verdict: 'passed' as const, ...at }] },
    deliveries: [{ key: 'k', kind: 'event' as const, message: 'm', ...since }],
    requests: [{ id: 'i', outcome: 'carriedOut' as const, ...at }],
    pastReleases: [{ run: 1, revision: 's1:a', startedMs: 1, ending: { code: 'Cancelled' as const, detail: 'd', ...at } }],
  };
  const after: unknown = byOwnClock(all, facts());
  const moved = momentsOf(z.toJSONSchema(Release, { io: 'input', unrepresentable: 'any' }) as JsonSchema).filter(
    (path) => !(path in OTHERS),
  );
  expect(moved.length).toBeGreaterThan(15);
  const differenceAt = (path: string) => Number(numberAt(after, path)) - Number(numberAt(all, path));
  expect(moved.map((path) => [path, differenceAt(path)])).toEqual(moved.map((path) => [path, -300_000]));
});

/** The number at a path of names; of a list its first entry, and of a record its only one. */
function numberAt(value: unknown, path: string): unknown {
  const [name = '', ...rest] = path.split('.');
  if (typeof value !== 'object' || value === null) return value;
  if (!(name in value)) return numberAt(Object.values(value)[0], path);
  const found: unknown = Reflect.get(value, name);
  return rest.length === 0 ? found : numberAt(found, rest.join('.'));
}

describe('E144: windows of the comparison', () => {
  const untilOf = (untilMs: number, aheadMs: number, behindMs?: number) => {
    const comparison = { errors: comparedUntil(untilMs) };
    const after = byOwnClock({ ...recorded(aheadMs), comparison }, facts(behindMs)).comparison?.errors;
    return ComparedSoFar.parse(after);
  };

  it('do not begin in the future', () => {
    expect(untilOf(NOW_MS + 295_000, 300_000).evidence.untilMs).toBe(NOW_MS);
  });

  it('do not begin before a moment of the metrics server that is counted already', () => {
    const { evidence, atSample } = untilOf(NOW_MS - 8_000, 300_000);
    expect([evidence.untilMs, atSample]).toEqual([NOW_MS - 8_000, true]);
  });

  it('do not overlap with a window of a clock that was behind', () => {
    const { evidence, atSample } = untilOf(NOW_MS - 305_000, -300_000, 300_000);
    expect([evidence.untilMs, atSample]).toEqual([NOW_MS - 5_000, undefined]);
  });

  it('show a canary as served at this step only if they did before', () => {
    expect(untilOf(NOW_MS + 295_000, 300_000).servedMs).toBe(NOW_MS - 5_000);
  });
});

function comparedUntil(untilMs: number): Record<string, unknown> {
  const counts = { requests: 1, failures: 0 };
  const evidence = {
    ...{ tolerate: 2, untilMs, windows: 1, canary: counts, primary: counts, pace: { canary: 1, primary: 1 } },
    skipped: { invalid: 0, overlap: 0, warmUp: 0, noCanary: 0, noPrimary: 0 },
    support: [...noSupport],
    scatter: { canary: [], primary: [] },
  };
  return { limits: 'x', evidence, servedMs: untilMs, atSample: true, learned: true };
}

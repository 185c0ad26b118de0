import { expect, it } from 'vitest';
import { isChosen, partOf, titleOf } from '../fakes/covering-part.ts';
import { playCrowd } from '../scenarios/adversity/crowd.ts';
import type { ApiCondition } from '../scenarios/adversity/slow-api.ts';
import { sleep } from '../scenarios/world.ts';

const FAULT_MS = 60_000;
const RECOVERY_MS = 30_000;
const RELEASES = 20;
const part = partOf(2);
/** A hundred in the long tier. */
const CROWD = 100 / part.oneIn;

const initialize = (condition: ApiCondition) =>
  playCrowd(1, async ({ api, apply, all }) => {
    api.become(condition);
    await apply(CROWD);
    await all('Initialized');
    return { services: Object.fromEntries([...api.sent].filter(([what]) => what.includes('/services/'))), cancelled: [...api.cancelled] };
  });

it(`${CROWD} Canaries at once, on an API server that carries out one write of a Service a second, are initialized: none is cancelled or sent twice`, async () => {
  const calm = await initialize({ kind: 'calm' });
  const slow = await initialize({ kind: 'inTurn', resource: 'services', eachMs: 1_000 });
  expect(slow.cancelled).toEqual([]);
  expect(slow.services).toEqual(calm.services);
});

/** Releases at once; `condition`: how the API server behaves for a minute of them. */
const release = (condition?: ApiCondition) =>
  playCrowd(1, async ({ api, apply, all, push, advanced }) => {
    await apply(RELEASES);
    await all('Initialized');
    const before = api.total();
    await push('2');
    await all('Progressing');
    if (condition !== undefined) {
      api.become(condition);
      await sleep(FAULT_MS);
      api.become({ kind: 'calm' });
    }
    const wentOn = await advanced();
    const endedMs = await all('Succeeded');
    return { wentOn, endedMs, requests: api.total() - before };
  });

/** The same for all tests: played once. */
let calmRelease: ReturnType<typeof release> | undefined;

const HARDSHIPS = [
  { server: 'answers two seconds later', condition: { kind: 'late', byMs: 2_000 }, wentOn: RELEASES },
  { server: 'refuses every second write', condition: { kind: 'throttled' }, wentOn: RELEASES / 2 },
  { server: 'refuses every second write for a second', condition: { kind: 'throttled', retryAfterSeconds: 1 }, wentOn: RELEASES / 2 },
  { server: 'is down', condition: { kind: 'down' }, wentOn: 0 },
] as const;

it.each(HARDSHIPS.filter((_, column) => isChosen(part, 0, column)))(
  `releases go on while the API server $server for a minute, recover after it, and send few retries (${titleOf(part)})`,
  async (hardship) => {
    calmRelease ??= release();
    const calm = await calmRelease;
    const hard = await release(hardship.condition);
    expect(hard.wentOn).toBeGreaterThanOrEqual(hardship.wentOn);
    expect(hard.endedMs).toBeLessThanOrEqual(calm.endedMs + RECOVERY_MS);
    expect(hard.requests).toBeLessThanOrEqual(calm.requests * 1.5);
  },
);

import { expect, it } from 'vitest';
import { weight } from '../../src/api/routes.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import { askMany } from '../scenarios/shares/ask-many.ts';
import type { ShareEnvironment } from '../scenarios/shares/share-environment.ts';
import { namespacesFor, SplitApp } from '../scenarios/shares/split-app.ts';

const CHANGES = 50;
/** Default time for which a side keeps its pods after it has lost its traffic (DF16), if the analysis has the shortest usual interval. */
const LONGEST_MS = 10_000;
const PAUSE_MS = 5;

export interface Lag {
  /** Time from the API server's answer to the last write until the first request reaches the other side, ascending. */
  readonly tookMs: readonly number[];
  readonly medianMs: number;
  readonly mostMs: number;
}

interface TwoSides {
  /** Writes the route to one of the sides. */
  turnTo(side: '1' | '2'): Promise<unknown>;
  /** Side that answers a request; any other text is neither. */
  ask(): Promise<string>;
}

/** Turns a route between two sides repeatedly, starting at side 1, and sends requests until the other side answers. */
export async function measureLag({ turnTo, ask }: TwoSides, changes = CHANGES): Promise<Lag> {
  const tookMs: number[] = [];
  for (let change = 0; change < changes; change += 1) {
    const [from, to] = change % 2 === 0 ? (['1', '2'] as const) : (['2', '1'] as const);
    await turnTo(to);
    const wroteMs = performance.now();
    for (let side = await ask(); side !== to; side = await ask()) {
      if (side !== from) throw new Error(`change ${change}: "${side}" answers in place of ${from} and ${to}`);
      if (performance.now() - wroteMs > 3 * LONGEST_MS) throw new Error(`change ${change}: ${from} answers still`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    tookMs.push(performance.now() - wroteMs);
    // All workers of the proxy, so that the next change begins on one side.
    while ((await Promise.all(Array.from({ length: 10 }, ask))).some((side) => side !== to));
  }
  tookMs.sort((a, b) => a - b);
  const half = tookMs.length / 2;
  const medianMs = ((tookMs[Math.ceil(half) - 1] ?? 0) + (tookMs[Math.floor(half)] ?? 0)) / 2;
  return { tookMs, medianMs, mostMs: tookMs.at(-1) ?? 0 };
}

/** Measures the same by the routes of a provider, and prints it. */
export function describeLag(fixture: ProviderFixture, environmentOf: () => ShareEnvironment): void {
  it(`${fixture.provider}: ${CHANGES} changes of the route are in effect before a side may lose its pods`, async () => {
    const environment = environmentOf();
    const namespace = 'lag';
    await namespacesFor(environment.cluster, [namespace]);
    const app = await SplitApp.run(environment, fixture, { name: 'turning', namespace });
    await app.route({ kind: 'weighted', canary: weight(0) });
    const { tookMs, medianMs, mostMs } = await measureLag({
      turnTo: (side) => app.write({ kind: 'weighted', canary: weight(side === '2' ? 100 : 0) }),
      ask: async () => Object.keys((await askMany(app.target, 1)).byVersion)[0] ?? '',
    });
    console.info(`${app.host}: ${tookMs.length} changes took ${medianMs.toFixed(0)} ms (median), ${mostMs.toFixed(0)} ms (most)`);
    expect(tookMs).toHaveLength(CHANGES);
    expect(mostMs).toBeLessThan(LONGEST_MS);
  });
}

import { describe, expect, it } from 'vitest';
import { parseCanary } from '../src/api/parse-canary.ts';
import { routers } from '../src/routers/index.ts';
import { casesIn } from './contracts/routers-cases.ts';
import { goldenFolders, routeAll } from './fakes/route-reader.ts';
import { countSteps } from './fakes/step-meter.ts';
import { LENGTH, worstCases } from './fakes/worst-cases.ts';

/** Steps for each inserted character; the rest of a golden case costs a constant. */
const STEPS_A_CHARACTER = 200;
const texts = [...worstCases];

/** Each text in a value, as a way to put another in its place in a copy. */
function* places(value: unknown, way: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (typeof value === 'string') yield way;
  else if (Array.isArray(value)) for (const [at, one] of value.entries()) yield* places(one, [...way, at]);
  else if (typeof value === 'object' && value !== null) for (const [key, one] of Object.entries(value)) yield* places(one, [...way, key]);
}

function withText<T>(value: T, way: readonly (string | number)[], text: string): T {
  const [key, ...rest] = way;
  if (key === undefined) return text as T;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  copy[key] = withText(copy[key], rest, text);
  return copy as T;
}

describe('routers take steps in proportion to a worst case in any text of their objects', () => {
  it.each([...goldenFolders])('%s', (provider, folder) => {
    const wrong = new Set<string>();
    let next = 0;
    for (const one of casesIn(folder)) {
      const { canary, current, routes } = one;
      for (const way of places({ canary: { spec: canary.spec }, current, routes })) {
        // The kind of the recorded routes is not a tenant's text.
        if (way.join('.') === 'routes.kind') continue;
        next += 1;
        const [name, text] = texts[next % texts.length] ?? ['', ''];
        const changed = { ...one, ...withText({ canary, current, routes }, way, text) };
        if (way[0] === 'canary' && 'problems' in parseCanary(changed.canary as never))
          changed.canary = withText({ canary }, way, text.slice(0, 1024)).canary;
        if ('problems' in parseCanary(changed.canary as never)) continue;
        try {
          countSteps(() => routeAll(routers[provider], changed), STEPS_A_CHARACTER * LENGTH);
        } catch (error) {
          wrong.add(
            `${one.name}, ${way.join('.')}: ${name}: ${error instanceof Error ? `${error.name}: ${error.message.slice(0, 100)}` : error}`,
          );
        }
      }
    }
    expect(next).toBeGreaterThan(40);
    expect([...wrong]).toEqual([]);
  });
});

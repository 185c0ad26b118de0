import { describe, expect, it, onTestFinished } from 'vitest';
import { fuzz, fuzzAnswers } from './fakes/fuzz.ts';
import { fuzzed } from './fakes/fuzzed.ts';
import { fuzzedBackends, startBackend } from './fakes/fuzzed-backends.ts';
import { prototypesNow } from './fakes/prototypes.ts';

/** A sample of what test/long/fuzz.test.ts does for ten minutes; the same for everyone. */
const RUNS = 25;

describe('for any text of a tenant, a reader stays in its steps, throws only documented errors and changes no prototype', () => {
  it.each(Object.entries(fuzzed))('%s', (_, one) => {
    expect(fuzz(one, { numRuns: RUNS, seed: 7 })).toBe(RUNS);
  });

  it.each(fuzzedBackends)('answers of %s', async (type) => {
    const backend = await startBackend(type);
    onTestFinished(() => backend.stop());
    expect(await fuzzAnswers(backend, { numRuns: RUNS, seed: 7 })).toBe(RUNS);
  });
});

describe('the harness finds a reader', () => {
  const feed = fuzzed['a duration']?.feed as never;
  const run = (read: (text: string) => unknown) => () => fuzz({ feed, read }, { numRuns: 2_000, seed: 7 });

  it('that looks at all of the rest from each place', () => {
    expect(run((text) => [...text].map((_, at) => text.includes('\u0001', at)))).toThrow('StepsExceeded');
  });

  it('that throws', () => {
    expect(run((text) => decodeURIComponent(text))).toThrow('URIError');
  });

  it('that changes what every object inherits', () => {
    const { expectSame } = prototypesNow();
    const own = Object.prototype as unknown as Record<string, unknown>;
    try {
      expect(
        run((text) => {
          own[text] = 1;
        }),
      ).toThrow('has changed');
    } finally {
      for (const name of Object.keys(own)) delete own[name];
    }
    expectSame();
  });

  it('whose result has a prototype that a tenant wrote', () => {
    expect(
      run((text) => {
        const made: Record<string, unknown> = {};
        made[text] = { a: 1 };
        return made;
      }),
    ).toThrow('data as its prototype');
  });
});

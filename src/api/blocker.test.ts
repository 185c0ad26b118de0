import { describe, expect, it } from 'vitest';
import { misleadingTexts } from '../../test/fakes/misleading-texts.ts';
import { Blocker, MOST_BLOCKERS, type NewBlocker } from './blocker.ts';
import { blockerText } from './blocker-text.ts';
import { blockerCodes } from './codes/codes.ts';
import { parseStatus } from './parse-status.ts';

const object = { apiVersion: 'v1', kind: 'Service', name: 'podinfo', namespace: 'test' };
const release = {
  ...{ targetUid: 't', revision: 's1:a', observedGeneration: 1, run: 1, step: 'resting', failedChecks: 0, iterations: 0 },
  ...{ routes: { kind: 'weighted', canary: 0 }, startedMs: 0, stepStartedMs: 0 },
};
const since = '2026-11-20T06:00:00Z';
const read = (stored: unknown) => parseStatus({ phase: 'Initialized', release: { ...release, blockers: stored } })?.release;

describe('a stored blocker', () => {
  it('is read unmodified', () => {
    const blocker = { code: 'NameTaken', object, field: 'a', webhook: 'b', metric: 'c', since, until: since, detail: 'd' };
    expect(read([blocker])?.blockers).toEqual([blocker]);
  });

  it.each([
    ['a code of a newer Serin', [{ code: 'FromTheFuture', since }]],
    ['no time', [{ code: 'NameTaken' }]],
    ['a text in the place of an object', [{ code: 'NameTaken', since, object: 'Service' }]],
    ['no list of objects', ['NameTaken', null, 7, []]],
  ])('I16: with %s is left out, and the release is remembered', (_, stored) => {
    expect(read([...stored, { code: 'Paused', since }])?.blockers).toEqual([{ code: 'Paused', since }]);
  });

  it.each([['a text'], [{ code: 'Paused' }], [null], [7]])(
    'I16: %j in place of the list does not cost the memory of the release',
    (stored) => {
      expect(read(stored)).toMatchObject({ revision: 's1:a' });
    },
  );

  it('I16: blockers beyond the maximum that is stored are not read', () => {
    expect(read(Array.from({ length: 10_000 }, () => ({ code: 'Paused', since })))?.blockers).toHaveLength(MOST_BLOCKERS);
  });
});

describe('a blocker', () => {
  it.each(blockerCodes)('%s has a sentence', (code) => {
    for (const blocker of [{ code }, { code, object, field: 'spec.a', detail: 'why' }] satisfies NewBlocker[])
      expect(blockerText(blocker)).toMatch(/^\S.*[^.\s]$/s);
    expect(Blocker.parse({ code, since })).toEqual({ code, since });
  });

  it('texts of other components are part of the sentence unmodified', () => {
    for (const detail of misleadingTexts) expect(blockerText({ code: 'ApiRejected', detail })).toContain(detail);
  });
});

import { describe, expect, it } from 'vitest';
import { Release } from './canary-status.ts';
import { endingCodes } from './codes/codes.ts';
import { codes as all } from './codes/list.ts';
import { boundedEnding, type Ending, endingClause, endingOf, endingRemedy, endingSentence } from './ending.ts';

const codes = endingCodes;
const ending: Ending = { code: 'ChecksFailed', atMs: 1, metric: 'errors', detail: '3 failed checks' };
const release = { stepStartedMs: 5 };
const names = { target: 'Deployment podinfo', name: 'podinfo', namespace: 'test' };

describe('an ending', () => {
  it('belongs only to the phase that it fits', () => {
    const cancelled: Ending = { code: 'Cancelled', atMs: 1, detail: 'back' };
    expect(endingOf('Failed', { ...release, ending })).toBe(ending);
    expect(endingOf('Succeeded', { ...release, ending: cancelled })).toBe(cancelled);
    for (const phase of ['Waiting', 'Promoting', 'Progressing', 'Initialized', 'Succeeded'] as const)
      expect(endingOf(phase, { ...release, ending }), phase).toBeUndefined();
    expect(endingOf('Failed', { ...release, ending: cancelled })).toBeUndefined();
  });

  it('has only the recorded words if an earlier version ended the release', () => {
    const reason = 'x'.repeat(5_000);
    expect(endingOf('Failed', { ...release, reason: 'no' })).toEqual({ code: 'Unrecorded', atMs: 5, detail: 'no' });
    expect(endingOf('Failed', { ...release, reason })?.detail).toHaveLength(1_024);
    expect([endingOf('Succeeded', { ...release, reason: 'no' }), endingOf('Failed', release)]).toEqual([undefined, undefined]);
  });

  it('I16: is stored shortened, also if other writers have put long texts into it', () => {
    const long = 'ä'.repeat(100_000);
    const checks = Array.from({ length: 900 }, () => ({ check: long, verdict: 'failed', value: 1, limit: long, reason: long }) as const);
    const stored = boundedEnding({ ...ending, metric: long, webhook: long, field: long, requester: long, detail: long, checks });
    expect([stored.checks?.length, stored.moreChecks]).toEqual([5, 895]);
    expect(JSON.stringify(stored).length).toBeLessThan(8_000);
    expect(boundedEnding(stored)).toEqual(stored);
  });

  it.each([
    { what: 'a code of a later version', stored: { ...ending, code: 'MoonPhase' } },
    {
      what: 'more checks than are written',
      stored: { ...ending, checks: Array.from({ length: 99 }, () => ({ check: 'a', verdict: 'failed' })) },
    },
    { what: 'no words', stored: { code: 'ChecksFailed', atMs: 1 } },
    { what: 'text', stored: 'ChecksFailed' },
  ])('I16: an ending that has $what costs no more than itself', ({ stored }) => {
    const whole = {
      ...{ targetUid: '', revision: 's1:b', observedGeneration: 1, run: 1, step: 'resting', routes: { kind: 'weighted', canary: 0 } },
      ...{ failedChecks: 3, iterations: 0, startedMs: 0, stepStartedMs: 5, reason: '3 failed checks' },
    };
    const read = Release.parse({ ...whole, ending: stored });
    expect(read).toMatchObject(whole);
    expect(endingOf('Failed', read)?.code).toBe('Unrecorded');
  });

  it.each(codes)('%s has a meaning, an actor, and a remedy whose words are all filled in', (code) => {
    const { meaning, ended } = all[code];
    const { remedy } = ended;
    expect([meaning, remedy].every((text) => /^[a-z`]/.test(text) && !text.endsWith('.'))).toBe(true);
    const filled = endingRemedy({ ...ending, code, webhook: 'gate' }, names);
    expect(filled).not.toMatch(/\b[A-Z]{4,}\b/);
    expect(endingSentence({ ...ending, code }, 'podinfo.test')).toMatch(/\S/);
    expect(endingClause({ ...ending, code })).toMatch(/^(Succeeded|Failed|Superseded|Cancelled)/);
  });
});

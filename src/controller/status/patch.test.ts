import { expect, it } from 'vitest';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { saysOnlyAnew, statusPatch } from './patch.ts';

const status = { phase: 'Initialized', failedChecks: 0, canaryWeight: 0, iterations: 0 } as const satisfies CanaryStatus;

it('a status that says the same is not written, at any time', () => {
  expect(statusPatch({ ...status, lastTransitionTime: 'then' }, status, '1', 0)).toBeUndefined();
});

it('a number that JSON does not have is stored as null, and no change where that is stored', () => {
  const said = (value: unknown) => ({ ...status, release: { verdicts: [{ value, limit: undefined }] } }) as unknown as CanaryStatus;
  const stored = { ...status, release: { verdicts: [{ value: null }] }, lastTransitionTime: 'then' };
  expect(statusPatch(stored, said(Number.NaN), '1', 0)).toBeUndefined();
  expect(statusPatch(stored, said(0), '1', 0)).toBeDefined();
});

it('a field that is no longer said is removed, at every depth', () => {
  const stored = { ...status, trackedConfigs: { a: '1' }, release: { reason: 'x', run: 1 } };
  const wanted = { ...status, release: { run: 1 } } as unknown as CanaryStatus;
  expect(statusPatch(stored, wanted, '7', 0)).toEqual({
    metadata: { resourceVersion: '7' },
    status: { ...status, trackedConfigs: null, release: { run: 1, reason: null }, lastTransitionTime: '1970-01-01T00:00:00Z' },
  });
});

it('E55, D13: other blockers and another due time only repeat the status, and any other field of the release is news', () => {
  const release = { run: 1, blockers: [{ code: 'Paused', since: 'then' }], dueMs: 1 };
  const saying = (more: object) => ({ ...status, release: { ...release, ...more } }) as unknown as CanaryStatus;
  const stored = { ...status, release };
  expect(saysOnlyAnew(stored, saying({ blockers: [], dueMs: 2 }))).toBe(true);
  expect(saysOnlyAnew(stored, saying({ blockers: undefined, dueMs: undefined }))).toBe(true);
  expect(saysOnlyAnew(stored, saying({ run: 2 }))).toBe(false);
});

it('E55: another sentence of Promoted only repeats the status, and any other field, condition or condition status is news', () => {
  const promoted = { type: 'Promoted', status: 'Unknown', reason: 'Progressing', message: '1 of 3' } as const;
  const stored = { ...status, conditions: [promoted] };
  const saying = (more: Partial<CanaryStatus>): CanaryStatus => ({ ...stored, ...more });
  const contested = { type: 'Contested', status: 'True', reason: 'FieldContested' } as const;
  expect(saysOnlyAnew(stored, saying({ conditions: [{ ...promoted, message: '2 of 3', lastUpdateTime: 'now' }] }))).toBe(true);
  expect(saysOnlyAnew(stored, saying({ conditions: [{ ...promoted, status: 'True' }] }))).toBe(false);
  expect(saysOnlyAnew(stored, saying({ conditions: [promoted, contested] }))).toBe(false);
  expect(saysOnlyAnew(stored, saying({ canaryWeight: 20 }))).toBe(false);
  expect(saysOnlyAnew(undefined, stored)).toBe(false);
});

it('E55: another sentence and reason of the conditions of kstatus only repeat the status, and any other field is news', () => {
  const reconciling = { type: 'Reconciling', status: 'True', reason: 'Progressing', message: '1 of 3' } as const;
  const stored = { ...status, observedGeneration: 1, conditions: [reconciling] };
  const saying = (more: Partial<CanaryStatus>): CanaryStatus => ({ ...stored, ...more });
  const anew = { ...reconciling, reason: 'PodsNotReady', message: '2 of 3', lastUpdateTime: 'now' };
  expect(saysOnlyAnew(stored, saying({ conditions: [anew] }))).toBe(true);
  expect(saysOnlyAnew(stored, saying({ conditions: [{ ...anew, type: 'Stalled' }] }))).toBe(false);
  expect(saysOnlyAnew(stored, saying({ observedGeneration: 2 }))).toBe(false);
});

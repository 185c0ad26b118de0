import { expect, it } from 'vitest';
import type { CanaryStatus } from '../api/canary-status.ts';
import { statusPatch } from './status-patch.ts';

const status = { phase: 'Initialized', failedChecks: 0, canaryWeight: 0, iterations: 0 } as const satisfies CanaryStatus;

it('a status that says the same is not written, whatever the time', () => {
  expect(statusPatch({ ...status, lastTransitionTime: 'then' }, status, '1', 0)).toBeUndefined();
});

it('a field that is no longer said is removed, at every depth', () => {
  const stored = { ...status, trackedConfigs: { a: '1' }, release: { reason: 'x', run: 1 } };
  const wanted = { ...status, release: { run: 1 } } as unknown as CanaryStatus;
  expect(statusPatch(stored, wanted, '7', 0)).toEqual({
    metadata: { resourceVersion: '7' },
    status: { ...status, trackedConfigs: null, release: { run: 1, reason: null }, lastTransitionTime: '1970-01-01T00:00:00Z' },
  });
});

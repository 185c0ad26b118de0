import { describe } from 'vitest';
import { decides, down, itDecides, nowMs, short, weighted } from '../../../test/fakes/deciding.ts';

const writing = { state: 'Promoting.writingPrimary' };
const promoted = { carries: 's1:b' };
const configs = { 'configmap/a': { uid: 'u', resourceVersion: '1', checksum: 'x' } };

describe('E40, E41, E80: decisions while the primary is written', () => {
  const measured = { measuredFromMs: nowMs };
  itDecides([
    decides(writing, 'it is written', 'advance', { event: { answer: 'written' } }),
    decides(writing, 'the write is refused', 'hold', { event: { answer: 'refused' } }),
    decides(writing, 'the target is something else', 'supersede', { event: { answer: 'mismatch' } }),
    decides(writing, 'it is something else, and pods have read configs', 'supersedeAfterRecycling', {
      event: { answer: 'mismatch' },
      target: { pods: 2, configs },
    }),
    decides(writing, 'it already holds the revision', 'wait', { primary: promoted }),
    decides(writing, 'the next try is due', 'repeat', { due: true }),
    decides(writing, 'it is due, and the canary is below its threshold', 'checkAgain', { due: true, target: short, release: measured }),
    decides(writing, 'the same where the primary holds the revision', 'repeat', { due: true, target: short, primary: promoted }),
    decides(writing, 'the canary is below, before the analysis', 'fallBack', {
      due: true,
      target: short,
      release: { routes: weighted(0) },
    }),
    decides(writing, 'the canary is below, with traffic', 'checkAgain', { due: true, target: short }),
    decides(writing, 'the canary is below, after the analysis began', 'checkAgain', {
      due: true,
      target: short,
      release: { routes: weighted(0), ...measured },
    }),
    decides(writing, 'the pre-rollout hooks have not passed (E8)', 'fallBack', {
      due: true,
      target: short,
      hooks: ['pre-rollout'],
      release: { routes: weighted(0), ...measured },
    }),
    decides(writing, 'the canary is down with traffic', 'routeToPrimary', { target: down, due: true }),
    decides(writing, 'it is written, and the canary is down', 'routeToPrimary', { target: down, event: { answer: 'written' } }),
    decides(writing, 'it is written, and the traffic of the canary that is down was routed', 'advance', {
      target: down,
      event: { answer: 'written' },
      release: { routes: weighted(0) },
    }),
    decides(writing, 'neither side serves', 'checkAgain', { target: down, primary: down, due: true, release: measured }),
    decides(writing, 'a newer revision waits (E50)', 'wait', { target: { revision: 's1:c' } }),
  ]);
});

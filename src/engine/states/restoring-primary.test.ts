import { describe } from 'vitest';
import { decides, down, itDecides, nowMs, short } from '../../../test/fakes/deciding.ts';

const pending = { facts: { converged: false } };
const longEnough = { stepStartedMs: nowMs - 10_000 };

describe('E44: decisions after a failed promotion', () => {
  const serving = { state: 'Failed.servingFromCanary' };
  const restoring = { state: 'Failed.restoringPrimary' };
  itDecides([
    decides(serving, 'the routes are written', 'advance', { primary: down }),
    decides(serving, 'they are not', 'wait', { primary: down, ...pending }),
    decides(serving, 'they are not after the longest wait', 'advance', { primary: down, ...pending, release: longEnough }),
    decides(serving, 'the canary is down, and the primary serves', 'routeToPrimary', { target: down }),
    decides(restoring, 'the primary is back at its last promoted template', 'advance'),
    decides(restoring, 'it holds something else', 'wait', { primary: { carries: 's1:b' } }),
    decides(restoring, 'nothing was promoted before', 'advance', {
      primary: { carries: 's1:b' },
      release: { promotedRevision: undefined as never },
    }),
    decides(restoring, 'it is not ready', 'wait', { primary: short }),
    decides(restoring, 'the next try is due', 'repeat', { primary: short, due: true }),
    decides(restoring, 'it was written', 'close', { primary: short, event: { answer: 'written' } }),
    decides(restoring, 'the write was refused', 'hold', { primary: short, event: { answer: 'refused' } }),
    decides(restoring, 'the canary is down, and the primary serves', 'routeToPrimary', { target: down, event: { answer: 'written' } }),
  ]);
});

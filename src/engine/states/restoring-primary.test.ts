import { describe } from 'vitest';
import { down, itDecides, nowMs, short } from '../../../test/fakes/deciding.ts';

const pending = { facts: { converged: false } };
const longEnough = { stepStartedMs: nowMs - 10_000 };

describe('E44: decisions after a failed promotion', () => {
  const serving = { state: 'Failed.servingFromCanary' };
  const restoring = { state: 'Failed.restoringPrimary' };
  itDecides([
    { ...serving, when: 'the routes are written', primary: down, decision: 'advance' },
    { ...serving, when: 'they are not', primary: down, ...pending, decision: 'wait' },
    { ...serving, when: 'they are not after the longest wait', primary: down, ...pending, release: longEnough, decision: 'advance' },
    { ...serving, when: 'the canary is down, and the primary serves', target: down, decision: 'routeToPrimary' },
    { ...restoring, when: 'the primary is back at its last promoted template', decision: 'advance' },
    { ...restoring, when: 'it holds something else', primary: { carries: 's1:b' }, decision: 'wait' },
    {
      ...restoring,
      when: 'nothing was promoted before',
      primary: { carries: 's1:b' },
      release: { promotedRevision: undefined as never },
      decision: 'advance',
    },
    { ...restoring, when: 'it is not ready', primary: short, decision: 'wait' },
    { ...restoring, when: 'the next try is due', primary: short, due: true, decision: 'repeat' },
    { ...restoring, when: 'it was written', primary: short, event: { answer: 'written' }, decision: 'close' },
    { ...restoring, when: 'the write was refused', primary: short, event: { answer: 'refused' }, decision: 'hold' },
    {
      ...restoring,
      when: 'the canary is down, and the primary serves',
      target: down,
      event: { answer: 'written' },
      decision: 'routeToPrimary',
    },
  ]);
});

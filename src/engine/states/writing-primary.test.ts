import { describe } from 'vitest';
import { down, itDecides, nowMs, short, weighted } from '../../../test/fakes/deciding.ts';

const writing = { state: 'Promoting.writingPrimary' };
const promoted = { carries: 's1:b' };
const configs = { 'configmap/a': { uid: 'u', resourceVersion: '1', checksum: 'x' } };

describe('E40, E41, E80: decisions while the primary is written', () => {
  const measured = { measuredFromMs: nowMs };
  itDecides([
    { ...writing, when: 'it is written', event: { answer: 'written' }, decision: 'advance' },
    { ...writing, when: 'the write is refused', event: { answer: 'refused' }, decision: 'hold' },
    { ...writing, when: 'the target is something else', event: { answer: 'mismatch' }, decision: 'supersede' },
    {
      ...writing,
      when: 'it is something else, and pods have read configs',
      event: { answer: 'mismatch' },
      target: { pods: 2, configs },
      decision: 'supersedeAfterRecycling',
    },
    { ...writing, when: 'it already holds the revision', primary: promoted, decision: 'wait' },
    { ...writing, when: 'the next try is due', due: true, decision: 'repeat' },
    {
      ...writing,
      when: 'it is due, and the canary is below its threshold',
      due: true,
      target: short,
      release: measured,
      decision: 'checkAgain',
    },
    {
      ...writing,
      when: 'the same where the primary holds the revision',
      due: true,
      target: short,
      primary: promoted,
      decision: 'repeat',
    },
    {
      ...writing,
      when: 'the canary is below, before the analysis',
      due: true,
      target: short,
      release: { routes: weighted(0) },
      decision: 'fallBack',
    },
    { ...writing, when: 'the canary is below, with traffic', due: true, target: short, decision: 'checkAgain' },
    {
      ...writing,
      when: 'the canary is below, after the analysis began',
      due: true,
      target: short,
      release: { routes: weighted(0), ...measured },
      decision: 'checkAgain',
    },
    {
      ...writing,
      when: 'the pre-rollout hooks have not passed (E8)',
      due: true,
      target: short,
      hooks: ['pre-rollout'],
      release: { routes: weighted(0), ...measured },
      decision: 'fallBack',
    },
    { ...writing, when: 'the canary is down with traffic', target: down, due: true, decision: 'routeToPrimary' },
    { ...writing, when: 'it is written, and the canary is down', target: down, event: { answer: 'written' }, decision: 'routeToPrimary' },
    {
      ...writing,
      when: 'it is written, and the traffic of the canary that is down was routed',
      target: down,
      event: { answer: 'written' },
      release: { routes: weighted(0) },
      decision: 'advance',
    },
    { ...writing, when: 'neither side serves', target: down, primary: down, due: true, release: measured, decision: 'checkAgain' },
    { ...writing, when: 'a newer revision waits (E50)', target: { revision: 's1:c' }, decision: 'wait' },
  ]);
});

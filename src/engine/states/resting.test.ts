import { describe, expect, it } from 'vitest';
import { type DecisionCase, decides, itDecides, refused } from '../../../test/fakes/deciding.ts';
import { at, releasing } from '../../../test/fakes/releasing.ts';

const isNew = { target: { revision: 's1:c' } };
/** Pods of an idle target that have read a config. */
const configs = { 'configmap/a': { uid: 'u', resourceVersion: '1', checksum: 'x' } };
const withPods = { target: { revision: 's1:c', pods: 2, configs } };
const isBack = { target: { revision: 's1:a' } };
const gated = { hooks: ['confirm-rollout'] } satisfies Partial<DecisionCase>;

const resting = ['Initialized', 'Succeeded', 'Failed'].flatMap((phase): DecisionCase[] => {
  const state = `${phase}.resting`;
  return [
    decides(state, 'nothing changed', 'wait'),
    decides(state, 'the revision is new', 'start', isNew),
    decides(state, 'it is new, and pods have read configs', 'startAfterRecycling', withPods),
    decides(state, 'it is new, and a gate is asked first', 'pin', { ...withPods, ...gated }),
    decides(state, 'it is new, and the spec is refused', 'wait', { ...isNew, facts: refused }),
    decides(state, 'the promoted revision is back', 'noteReturn', isBack),
    decides(state, 'it is back, and the spec is refused', 'wait', { ...isBack, facts: refused }),
    decides(state, 'the target does not exist', 'wait', { target: null }),
    decides(state, 'a primary that does not serve does not stop a fix (E2)', 'start', { ...isNew, primary: null }),
  ];
});

describe('E2, E74, E75: decisions at rest', () => {
  itDecides([
    ...resting,
    decides('Succeeded.resting', 'an undo is asked for', 'undo', { event: { asks: 'undo' } }),
    decides('Failed.resting', 'an undo is asked for', 'wait', { event: { asks: 'undo' } }),
    decides('Failed.resting', 'a retry is asked for', 'start', { event: { asks: 'retry' } }),
    decides('Failed.resting', 'a retry with pods', 'startAfterRecycling', { event: { asks: 'retry' }, target: { pods: 1, configs } }),
    decides('Failed.resting', 'a retry with a gate', 'pin', { event: { asks: 'retry' }, ...gated }),
    decides('Succeeded.resting', 'a retry is asked for', 'wait', { event: { asks: 'retry' } }),
  ]);
});

it('E2: a failed revision is new again once the promoted one was in the target in between', () => {
  const world = releasing();
  world.ask('rollback', 'r');
  world.tickUntil(at('Failed', 'resting'));
  world.push('s1:b');
  expect([world.phase, world.release.revision]).toEqual(['Failed', 's1:b']);
  world.push('s1:a');
  expect([world.phase, world.release.revision, world.release.promotedRevision]).toEqual(['Failed', 's1:a', 's1:a']);
  world.push('s1:b');
  expect([world.phase, world.release.revision]).toEqual(['Progressing', 's1:b']);
});

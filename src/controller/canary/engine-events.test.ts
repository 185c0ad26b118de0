import { expect, it } from 'vitest';
import { aCanary, initialized, type World } from '../../../test/fakes/world.ts';
import { openQuestionsOf } from '../../engine/machine.ts';
import type { Question } from '../../engine/questions.ts';
import { type CanaryMessage, engineEvents } from './engine-events.ts';

/** Its checks are being measured. */
function measuring(): { world: World; asked: Question } {
  const world = initialized(aCanary({ stepWeight: 10, maxWeight: 50 }));
  world.pushUntil('s1:b', (one) => one.step === 'analysing');
  world.nowMs += 10_000;
  world.send({ type: 'WAKE', facts: world.facts() });
  const asked = world.asked.find(({ id }) => openQuestionsOf(world.snapshot).includes(id));
  if (asked?.kind !== 'measure') throw new Error(`asked is ${asked?.kind}`);
  return { world, asked };
}

const play = (world: World, letters: readonly CanaryMessage[]): void => {
  for (const event of engineEvents(letters, world.snapshot, world.facts())) world.send(event);
};

it('E53, E70: an answer that is no longer waited for does not hide a request that came at the same moment', () => {
  const { world, asked } = measuring();
  world.request = { verb: 'pause', id: 'p', by: 'ann', atMs: world.nowMs };
  play(world, []);
  world.request = { verb: 'rollback', id: 'r', by: 'ann', atMs: world.nowMs };
  play(world, [{ type: 'ANSWER', answer: { kind: 'measure', id: asked.id, verdicts: [] } }]);
  expect(world.release.requests?.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['p', 'carriedOut'],
    ['r', 'carriedOut'],
  ]);
});

it('E2: nor does a delivery that is no longer listed hide a new revision', () => {
  const world = initialized();
  world.targetRevision = 's1:b';
  play(world, [{ type: 'DELIVERED', key: 'long-gone' }]);
  expect(world.phase).toBe('Progressing');
});

it('E53: an answer that is waited for is the only event', () => {
  const { world, asked } = measuring();
  const answer: CanaryMessage = { type: 'ANSWER', answer: { kind: 'measure', id: asked.id, verdicts: [] } };
  expect(engineEvents([answer], world.snapshot, world.facts()).map(({ type }) => type)).toEqual(['ANSWER']);
});

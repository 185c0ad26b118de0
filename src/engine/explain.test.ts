import { expect, it } from 'vitest';
import type { AnyStateNode } from 'xstate';
import { initialized } from '../../test/fakes/world.ts';
import { Phase } from '../api/phase.ts';
import { weight } from '../api/routes.ts';
import { UNKNOWN_USER } from '../api/verb-request.ts';
import { chart } from './chart.ts';
import { explainRelease } from './explain.ts';

const root: AnyStateNode = chart.root;
const states = Object.values(root.states).flatMap((phase) => Object.keys(phase.states).map((step) => ({ phase: phase.key, step })));

it.each(states)('D11: $phase, $step has a sentence of its own, which says more than its name', ({ phase, step }) => {
  const world = initialized();
  const release = { ...world.release, step };
  const sentence = explainRelease(world.canary, Phase.parse(phase), release, world.facts());
  expect(sentence).not.toMatch(/^\w+ since [^ ]+\.$/);
});

it.each([
  { of: 'a release', phase: 'Progressing', where: / since [^ ]+ with 20% on the canary, without limit/ },
  { of: 'one that has not begun', phase: 'Waiting', where: / since [^ ]+, without limit/ },
] as const)('E71: the sentence of a pause of $of says who, since when, and with which traffic', ({ phase, where }) => {
  const world = initialized();
  const release = {
    ...world.release,
    ...{ step: phase === 'Waiting' ? 'gate' : 'analysing', routes: { kind: 'weighted', canary: weight(20) } as const },
    paused: { by: 'ann', sinceMs: world.nowMs },
  };
  const sentence = explainRelease(world.canary, phase, release, world.facts());
  expect(sentence).toMatch(/^Paused by ann since /);
  expect(sentence).toMatch(where);
});

it('E71: the sentence of a pause by an unknown user names none', () => {
  const world = initialized();
  const release = { ...world.release, step: 'analysing', paused: { by: UNKNOWN_USER, sinceMs: world.nowMs } };
  expect(explainRelease(world.canary, 'Progressing', release, world.facts())).toMatch(/^Paused since /);
});

it.each([
  { routes: 'never left the primary', canary: 0, says: /The primary has all traffic/, never: /returns/ },
  { routes: 'reach the canary', canary: 20, says: /Traffic returns to the primary/, never: /has all traffic/ },
])('E31: the sentence of a failed release says that its routes $routes', ({ canary, says, never }) => {
  const world = initialized();
  const release = { ...world.release, step: 'returningTraffic', routes: { kind: 'weighted', canary: weight(canary) } as const };
  const sentence = explainRelease(world.canary, 'Failed', release, world.facts());
  expect(sentence).toMatch(says);
  expect(sentence).not.toMatch(never);
});

import { expect, it } from 'vitest';
import type { AnyStateNode } from 'xstate';
import { initialized } from '../../test/fakes/world.ts';
import { Phase } from '../api/phase.ts';
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

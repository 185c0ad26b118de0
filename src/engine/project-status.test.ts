import { expect, it } from 'vitest';
import { aCanary, initialized } from '../../test/build/world.ts';
import { mermaid } from './diagram.ts';
import { explain } from './explain.ts';
import { projectStatus } from './project-status.ts';

it('D11: Promoted is first, carries the sentence of explain, and foreign conditions stay', () => {
  const world = initialized();
  const other = { type: 'Contested', status: 'True', reason: 'Foreign' } as const;
  const status = { ...world.canary.status, conditions: [other, ...(world.canary.status?.conditions ?? [])] };
  const canary = { ...world.canary, status: { ...projectStatus(world.canary, 'Initialized', world.release, world.facts()), ...status } };
  const { conditions } = projectStatus(canary, 'Initialized', world.release, world.facts());
  expect(conditions?.map((one) => one.type)).toEqual(['Promoted', 'Contested']);
  expect(conditions?.[0]).toMatchObject({ status: 'True', reason: 'Initialized', message: explain(world.canary, world.facts()) });
});

it('D12: transition times move with the phase only', () => {
  const world = initialized(aCanary({ stepWeight: 20 }));
  world.push('s1:b');
  const before = world.canary.status?.lastTransitionTime;
  world.tick();
  expect([world.canary.status?.canaryWeight, world.canary.status?.lastTransitionTime]).toEqual([20, before]);
  world.tickUntil((one) => one.phase === 'Succeeded');
  expect(world.canary.status?.lastTransitionTime).not.toBe(before);
});

it('the diagram shows each phase and the way from an analysis to its end', () => {
  const diagram = mermaid();
  expect(diagram).toContain('Progressing_analysing_measuring --> Promoting_writingPrimary : may promote');
  expect(diagram).toContain('Finalising_draining --> Succeeded_resting');
});

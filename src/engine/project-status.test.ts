import { expect, it } from 'vitest';
import { aCanary, initialized } from '../../test/fakes/world.ts';
import type { Phase } from '../api/phase.ts';
import { type Routes, weight } from '../api/routes.ts';
import { mermaid } from './diagram.ts';
import { explain } from './explain.ts';
import { projectStatus } from './project-status.ts';

it('D11: Promoted is first, has the sentence of explain, and foreign conditions are kept', () => {
  const world = initialized();
  const other = { type: 'Contested', status: 'True', reason: 'Foreign' } as const;
  const status = { ...world.canary.status, conditions: [other, ...(world.canary.status?.conditions ?? [])] };
  const canary = { ...world.canary, status: { ...projectStatus(world.canary, 'Initialized', world.release, world.facts()), ...status } };
  const { conditions } = projectStatus(canary, 'Initialized', world.release, world.facts());
  expect(conditions?.map((one) => one.type)).toEqual(['Promoted', 'Contested']);
  expect(conditions?.[0]).toMatchObject({ status: 'True', reason: 'Initialized', message: explain(world.canary, world.facts()) });
});

it.each([
  ...(['Initialized', 'Succeeded'] as const).map((phase) => ({ phase, status: 'True' })),
  { phase: 'Failed', status: 'False' } as const,
  ...(['Initializing', 'Waiting', 'Progressing', 'WaitingPromotion', 'Promoting', 'Finalising', 'Terminating'] as const).map((phase) => ({
    phase,
    status: 'Unknown',
  })),
])('in $phase the condition Promoted is $status, with the phase as its reason', ({ phase, status }) => {
  const world = initialized();
  const [promoted] = projectStatus(world.canary, phase, world.release, world.facts()).conditions ?? [];
  expect(promoted).toMatchObject({ type: 'Promoted', status, reason: phase });
});

it.each([
  { phase: 'Initialized', status: 'Unknown' },
  { phase: 'Succeeded', status: 'Unknown' },
  { phase: 'Failed', status: 'False' },
] as const)('E107: in $phase Promoted is $status while an edit of the spec is refused', ({ phase, status }) => {
  const world = initialized();
  const facts = { ...world.facts(), refused: { reason: 'InvalidSpec', message: 'spec.service.port is missing' } as const };
  const [promoted] = projectStatus(world.canary, phase, world.release, facts).conditions ?? [];
  expect(promoted).toMatchObject({ type: 'Promoted', status, reason: phase });
});

it('E58: in an idle Canary the sentence names the wait for knowledge of the target, unless a blocker names it already', () => {
  const world = initialized();
  const { target, ...facts } = world.facts();
  const unknown = target
    ? { ...facts, target: { ...target, undetermined: { code: 'TargetUnobserved' as const, detail: 'not observed yet' } } }
    : facts;
  expect(explain(world.canary, unknown)).toBe('Initialized: the primary serves; waits to know Deployment podinfo: not observed yet.');
  const blocked = explain(world.canary, { ...unknown, blocker: { code: 'Other', detail: 'not observed yet' } });
  expect(blocked).toBe('Initialized: the primary serves; waits for a change of podinfo. Blocked: not observed yet.');
});

it('D12: transition times move with the phase only, not with weights and counters', () => {
  const world = initialized(aCanary({ stepWeight: 20 }));
  world.push('s1:b');
  const before = world.canary.status?.lastTransitionTime;
  world.tick();
  expect([world.canary.status?.canaryWeight, world.canary.status?.lastTransitionTime]).toEqual([20, before]);
  world.tickUntil((one) => one.phase === 'Succeeded');
  expect(world.canary.status?.lastTransitionTime).not.toBe(before);
});

it('all fields of Flagger are written in every phase; a promoted revision is the applied one, and counters end with a release', () => {
  const world = initialized();
  const fields = (phase: Phase) => {
    const release = { ...world.release, revision: 's1:b', failedChecks: 2, iterations: 3 };
    const { lastTransitionTime, conditions, release: _, ...fields } = projectStatus(world.canary, phase, release, world.facts());
    expect([lastTransitionTime, conditions?.[0]?.reason]).toEqual([expect.any(String), phase]);
    return fields;
  };
  const held = { canaryWeight: 0, lastAppliedSpec: 's1:b', lastPromotedSpec: 's1:a' };
  for (const phase of ['Progressing', 'Waiting', 'WaitingPromotion', 'Promoting'] as const)
    expect(fields(phase)).toEqual({ ...held, phase, failedChecks: 2, iterations: 3 });
  expect(fields('Succeeded')).toMatchObject({ ...held, iterations: 0 });
  expect(fields('Failed')).toEqual({ ...held, phase: 'Failed', failedChecks: 0, iterations: 0 });
  world.pushUntil('s1:b', (one) => one.phase === 'Succeeded');
  expect(world.canary.status).toMatchObject({ lastAppliedSpec: 's1:b', lastPromotedSpec: 's1:b' });
});

it('no arrow leads to Terminated, which is never written', () => {
  expect(mermaid()).toContain('Terminated');
  expect(mermaid()).not.toMatch(/--> Terminated/);
});

it('the diagram shows each phase and the way from an analysis to its end', () => {
  const diagram = mermaid();
  expect(diagram).toContain('Progressing_analysing --> Promoting_writingPrimary : promote');
  expect(diagram).toContain('Finalising_draining --> Succeeded_resting');
});

it.each([
  { routes: { kind: 'weighted', canary: weight(30) }, canaryWeight: 30 },
  { routes: { kind: 'weighted', canary: weight(100) }, canaryWeight: 100 },
  { routes: { kind: 'matched', match: [{ headers: { user: { exact: 'a' } } }] }, canaryWeight: 0 },
  { routes: { kind: 'mirrored', share: weight(50) }, canaryWeight: 0 },
] satisfies { routes: Routes; canaryWeight: number }[])(
  'D10: $routes.kind routes are shown as weight $canaryWeight in every phase',
  ({ routes, canaryWeight }) => {
    const world = initialized();
    for (const phase of ['Progressing', 'WaitingPromotion', 'Promoting', 'Failed'] as const)
      expect(projectStatus(world.canary, phase, { ...world.release, routes }, world.facts())).toMatchObject({ phase, canaryWeight });
  },
);

import { expect, it } from 'vitest';
import { aCanary, initialized, World, withHooks } from '../../test/fakes/world.ts';
import type { Phase } from '../api/phase.ts';
import { allToPrimary, type Routes, weight } from '../api/routes.ts';
import { desiredStateOf } from './desired-state-of.ts';

const half: Routes = { kind: 'weighted', canary: weight(50) };
const matched: Routes = { kind: 'matched', match: [{ headers: { user: { exact: 'a' } } }] };

/** Desired state of the target under this recorded status. */
function targetAt(phase: Phase, step: string, routes: Routes): string {
  const world = initialized();
  const { status } = world.canary;
  if (!status?.release) throw new Error('no release');
  const canary = { ...world.canary, status: { ...status, phase, release: { ...status.release, step, routes } } };
  return desiredStateOf(canary, world.facts()).target;
}

it('D2: before it takes traffic a bootstrap does not touch apex, routes and target', () => {
  const world = new World(aCanary());
  const seen: string[] = [];
  world.watch = (desired, { step }) => {
    if (step !== 'creatingPrimary' && step !== 'settling') return;
    seen.push(step);
    const scalers = { atLeast: {}, primaryScaler: 'kept' };
    expect(desired).toEqual({ frozen: false, prepared: true, apexOnPrimary: false, target: 'untouched', primary: 'up', ...scalers });
  };
  world.begin();
  world.tickUntil((one) => one.phase === 'Initialized');
  expect([...new Set(seen)]).toEqual(['creatingPrimary', 'settling']);
});

it.each([
  { phase: 'Progressing', step: 'analysing', routes: half, target: 'up' },
  { phase: 'WaitingPromotion', step: 'analysing', routes: half, target: 'up' },
  { phase: 'Promoting', step: 'shifting', routes: matched, target: 'up' },
  { phase: 'Finalising', step: 'returningTraffic', routes: half, target: 'up' },
  { phase: 'Failed', step: 'servingFromCanary', routes: half, target: 'up' },
  { phase: 'Failed', step: 'returningTraffic', routes: matched, target: 'up' },
  { phase: 'Initializing', step: 'takingTraffic', routes: allToPrimary, target: 'untouched' },
  { phase: 'Initializing', step: 'draining', routes: allToPrimary, target: 'untouched' },
  { phase: 'Progressing', step: 'canaryUnavailable', routes: allToPrimary, target: 'up' },
  { phase: 'Promoting', step: 'awaitingPrimary', routes: allToPrimary, target: 'untouched' },
  { phase: 'Finalising', step: 'draining', routes: allToPrimary, target: 'untouched' },
  { phase: 'Succeeded', step: 'draining', routes: allToPrimary, target: 'untouched' },
  { phase: 'Failed', step: 'draining', routes: allToPrimary, target: 'untouched' },
] as const)('D5, D6: in $phase, $step with $routes.kind routes the pods stay: $target', ({ phase, step, routes, target }) =>
  expect(targetAt(phase, step, routes)).toBe(target),
);

it.each([
  { phase: 'Promoting', step: 'writingPrimary', primaryScaler: 'followed' },
  { phase: 'Promoting', step: 'shifting', primaryScaler: 'followed' },
  { phase: 'Finalising', step: 'draining', primaryScaler: 'followed' },
  { phase: 'Progressing', step: 'analysing', primaryScaler: 'kept' },
  { phase: 'Succeeded', step: 'resting', primaryScaler: 'kept' },
  { phase: 'Failed', step: 'returningTraffic', primaryScaler: 'kept' },
] as const)("D9: in $phase, $step the primary's scaler is $primaryScaler", ({ phase, step, primaryScaler }) => {
  const world = initialized();
  const { status } = world.canary;
  if (!status?.release) throw new Error('no release');
  const canary = { ...world.canary, status: { ...status, phase, release: { ...status.release, step } } };
  expect(desiredStateOf(canary, world.facts()).primaryScaler).toBe(primaryScaler);
});

it.each([
  { phase: 'Initialized', step: 'resting', routes: allToPrimary, target: 'zero' },
  { phase: 'Succeeded', step: 'confirming', routes: allToPrimary, target: 'zero' },
  { phase: 'Waiting', step: 'gate', routes: allToPrimary, target: 'zero' },
  { phase: 'Failed', step: 'resting', routes: allToPrimary, target: 'zero' },
  { phase: 'Failed', step: 'resting', routes: half, target: 'up' },
  { phase: 'Succeeded', step: 'resting', routes: matched, target: 'up' },
] as const)('D7: in $phase, $step with $routes.kind routes a resting canary is at $target', ({ phase, step, routes, target }) =>
  expect(targetAt(phase, step, routes)).toBe(target),
);

it.each([
  { what: 'that starts at once', step: 'resting', change: {}, target: 'untouched' },
  { what: 'that a gate is asked for', step: 'confirming', change: {}, target: 'zero' },
  { what: 'behind a gate', step: 'resting', change: { analysis: withHooks('confirm-rollout') }, target: 'zero' },
  { what: 'that is promoted without an analysis', step: 'resting', change: { spec: { skipAnalysis: true } }, target: 'untouched' },
  { what: 'whose pods have to read other configs', step: 'resting', change: { configs: { settings: 'red' } }, target: 'zero' },
  { what: 'that was promoted before', step: 'resting', change: { revision: 's1:a' }, target: 'zero' },
] as const)('D7: idle with a newer revision $what the canary is $target', ({ step, change, target }) => {
  const {
    analysis = {},
    spec = {},
    configs,
    revision = 's1:b',
  }: { analysis?: object; spec?: object; configs?: Record<string, string>; revision?: string } = change;
  const world = initialized(aCanary(analysis, spec));
  const { status } = world.canary;
  if (!status?.release) throw new Error('no release');
  world.targetRevision = revision;
  world.configs = configs;
  const canary = { ...world.canary, status: { ...status, release: { ...status.release, step } } };
  expect(desiredStateOf(canary, world.facts()).target).toBe(target);
});

it.each([
  { what: 'was at zero, and has pods again', uid: 'same', replicas: 1, target: 'idle' },
  { what: 'was at zero, and is', uid: 'same', replicas: 0, target: 'zero' },
  { what: 'was made again', uid: 'another', replicas: 1, target: 'zero' },
])('E90: in an idle Canary a target that $what is at $target', ({ uid, replicas, target }) => {
  const world = initialized();
  const { status } = world.canary;
  if (!status?.release) throw new Error('no release');
  const facts = world.facts();
  if (!facts.target) throw new Error('no target');
  const scaledDownUid = uid === 'same' ? facts.target.uid : uid;
  const canary = { ...world.canary, status: { ...status, release: { ...status.release, step: 'resting', scaledDownUid } } };
  expect(desiredStateOf(canary, { ...facts, target: { ...facts.target, replicas } }).target).toBe(target);
});

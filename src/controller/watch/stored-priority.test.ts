import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import { isIdleAsStored, isInRelease, isUrgent, storedPriority, storedUrgency, urgencyNow } from './stored-priority.ts';

const stored = (status: object | undefined) => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'web', namespace: 'shop' },
  ...(status && { status }),
});

const target = (generation: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', generation },
});
const resting = { step: 'resting', observedGeneration: 3 };

it.each([
  { status: { phase: 'Failed', release: { step: 'draining' } }, priority: 'rollback', urgency: 0 },
  { status: { phase: 'Progressing', release: { step: 'analysing' } }, priority: 'release', urgency: 1 },
  { status: { phase: 'Progressing' }, priority: 'release', urgency: 1 },
  { status: { phase: 'WaitingPromotion', release: { step: 'gated' } }, priority: 'release', urgency: 1 },
  { status: { phase: 'Promoting', release: { step: 'writingPrimary' } }, priority: 'release', urgency: 1 },
  { status: { phase: 'Succeeded', release: { step: 'undoing' } }, priority: 'release', urgency: 1 },
  { status: undefined, priority: 'initialization', urgency: 3 },
  { status: { phase: '' }, priority: 'initialization', urgency: 3 },
  { status: { phase: 'Initializing', release: { step: 'settling' } }, priority: 'initialization', urgency: 3 },
  { status: { phase: 'Failed', release: resting }, at: target(3), priority: 'release', urgency: 4 },
  { status: { phase: 'Succeeded', release: resting }, at: target(3), priority: 'release', urgency: 4 },
  { status: { phase: 'Succeeded', release: resting }, at: target(4), priority: 'release', urgency: 2 },
  { status: { phase: 'Succeeded', release: resting }, priority: 'release', urgency: 4 },
])('a Canary with the status $status has requests of the priority $priority, and its turn at a start by $urgency', (row) => {
  expect([storedPriority(stored(row.status)), storedUrgency(stored(row.status), row.at)]).toEqual([row.priority, row.urgency]);
});

it.each([
  { what: 'a rollback', status: { phase: 'Failed', release: { step: 'draining' } }, isListed: false, underWay: true, urgent: true },
  { what: 'a release', status: { phase: 'Progressing', release: { step: 'analysing' } }, isListed: false, underWay: true, urgent: true },
  { what: 'a changed target', status: { phase: 'Succeeded', release: resting }, isListed: true, underWay: false, urgent: true },
  { what: 'a target not listed', status: { phase: 'Succeeded', release: resting }, isListed: false, underWay: false, urgent: false },
  { what: 'no first primary', status: { phase: 'Initializing' }, isListed: true, underWay: false, urgent: false },
])('a Canary with $what begins before all lists: $underWay, and reads ahead of them: $urgent', ({ status, isListed, underWay, urgent }) => {
  const canary = { ...stored(status), spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } } };
  const find = () => ({ object: target(4) });
  const urgency = urgencyNow(canary, { isListed: () => isListed, find });
  expect([isInRelease(urgency), isUrgent(urgency)]).toEqual([underWay, urgent]);
});

const promoted = (observedGeneration: number) => ({ type: 'Promoted', observedGeneration });
it.each([
  { what: 'rests, and its status is of this spec', release: resting, conditions: [promoted(1)], is: true },
  { what: 'rests with a status of an earlier spec', release: resting, conditions: [promoted(0)], is: false },
  { what: 'rests, and another condition is of this spec', release: resting, conditions: [{ ...promoted(1), type: 'Accepted' }], is: false },
  { what: 'is analysed', release: { ...resting, step: 'analysing' }, conditions: [promoted(1)], is: false },
  { what: 'has routes for another spec', release: { ...resting, routedFor: {} }, conditions: [promoted(1)], is: false },
  { what: 'has routes elsewhere', release: { ...resting, leftRoutes: [] }, conditions: [promoted(1)], is: false },
  { what: 'has no status', release: undefined, conditions: undefined, is: false },
])('I8: a Canary that $what is idle as stored: $is', ({ release, conditions, is }) => {
  const status = release && { phase: 'Succeeded', release, conditions };
  expect(isIdleAsStored({ ...aCanary(), ...(status && { status }) } as unknown as Canary)).toBe(is);
});

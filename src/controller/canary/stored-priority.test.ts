import { expect, it } from 'vitest';
import { storedPriority, storedUrgency } from './stored-priority.ts';

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

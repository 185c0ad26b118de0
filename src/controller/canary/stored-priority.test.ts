import { expect, it } from 'vitest';
import { storedPriority, storedUrgency } from './stored-priority.ts';

const stored = (status: object | undefined) => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'web', namespace: 'shop' },
  ...(status && { status }),
});

it.each([
  { status: { phase: 'Failed', release: { step: 'draining' } }, priority: 'rollback', urgency: 0 },
  { status: { phase: 'Progressing', release: { step: 'analysing' } }, priority: 'release', urgency: 1 },
  { status: { phase: 'Progressing' }, priority: 'release', urgency: 1 },
  { status: undefined, priority: 'initialization', urgency: 2 },
  { status: { phase: '' }, priority: 'initialization', urgency: 2 },
  { status: { phase: 'Initializing', release: { step: 'settling' } }, priority: 'initialization', urgency: 2 },
  { status: { phase: 'Failed', release: { step: 'resting' } }, priority: 'release', urgency: 3 },
  { status: { phase: 'Succeeded', release: { step: 'resting' } }, priority: 'release', urgency: 3 },
])('a Canary with the status $status has requests of the priority $priority, and its turn at a start by $urgency', (row) => {
  expect([storedPriority(stored(row.status)), storedUrgency(stored(row.status))]).toEqual([row.priority, row.urgency]);
});

import { expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { oldestFirst } from './event-time.ts';

const anEvent = (reason: string, lastTimestamp: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: reason, namespace: 'test', resourceVersion },
  reason,
  lastTimestamp,
});

it('events of one second come in the order in which they were stored, for any order of the list', () => {
  const first = anEvent('NewRevision', '2026-11-28T09:05:04Z', '207');
  const second = anEvent('Promoting', '2026-11-28T09:05:05Z', '99');
  const third = anEvent('TrafficShifted', '2026-11-28T09:05:05Z', '161');
  const fourth = anEvent('Succeeded', '2026-11-28T09:05:05Z', '162');
  const inOrder = [first, second, third, fourth];
  expect(oldestFirst([third, fourth, second, first])).toEqual(inOrder);
  expect(oldestFirst([fourth, second, third, first])).toEqual(inOrder);
});

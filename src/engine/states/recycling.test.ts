import { describe } from 'vitest';
import { down, drainMs, itDecides, late, nowMs, paused, weighted } from '../../../test/fakes/deciding.ts';

const step = (name: string) => ({ state: `Progressing.${name}` });
const noTraffic = { routes: weighted(0) };
const off = { release: noTraffic };
const pending = { facts: { converged: false } };

describe('E56: decisions while old pods are recycled', () => {
  itDecides([
    { ...step('recycleRouting'), when: 'the canary has traffic', decision: 'routeToPrimary' },
    { ...step('recycleRouting'), when: 'the primary cannot take it', primary: down, decision: 'wait' },
    { ...step('recycleRouting'), when: 'neither side serves', primary: down, target: down, decision: 'routeToPrimary' },
    { ...step('recycleRouting'), when: 'the routes are written', ...off, decision: 'advance' },
    { ...step('recycleRouting'), when: 'they are not', ...off, ...pending, decision: 'wait' },
    {
      ...step('recycleDraining'),
      when: 'proxies had their time',
      release: { ...noTraffic, stepStartedMs: nowMs - drainMs },
      decision: 'advance',
    },
    { ...step('recycleDraining'), when: 'they had not', ...off, decision: 'wait' },
    { ...step('recycleStopping'), when: 'no pod is left', target: { pods: 0 }, decision: 'advance' },
    { ...step('recycleStopping'), when: 'no pod is left, late', target: { pods: 0 }, release: late, decision: 'advance' },
    { ...step('recycleStopping'), when: 'a pod is left', target: { pods: 1 }, decision: 'wait' },
    { ...step('recycleStopping'), when: 'a pod is left at the deadline', target: { pods: 1 }, release: late, decision: 'giveUp' },
    {
      ...step('recycleStopping'),
      when: 'a pod is left while blocked',
      target: { pods: 1 },
      release: late,
      facts: { blocker: { code: 'Other' } },
      decision: 'wait',
    },
    {
      ...step('recycleStopping'),
      when: 'a pod is left while paused',
      target: { pods: 1 },
      release: { ...late, ...paused },
      decision: 'wait',
    },
  ]);
});

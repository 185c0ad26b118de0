import { expect, it } from 'vitest';
import { releasing } from '../../../test/fakes/compared-release.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { Recorder } from '../../rehearsal/recorder.ts';
import type { Rehearsal } from '../../rehearsal/rehearsal.ts';
import { resultOf } from './result-of.ts';

it('a rehearsal has the evidence of the comparison as it grew, and none without one', () => {
  const world = releasing({ warmUp: '0s' }, { canary: 0.004, primary: 0.001, perSecond: 300 }, { stepWeight: 1 });
  const object = (): KubeObject => JSON.parse(JSON.stringify(world.canary));
  const recorder = new Recorder(refOf(object()), () => world.nowMs);
  for (let tick = 0; tick < 40; tick += 1) {
    world.tick();
    recorder.write({ userAgent: 'serin-controller', object: object() } as Parameters<typeof recorder.write>[0]);
  }
  const rehearsal = {
    ...{ canary: { namespace: 'test', name: 'podinfo' }, scenario: { name: 'bad', says: '', expect: 'either', steps: [] } },
    ...{ outcome: 'promoted', phase: '', message: '', tookMs: 1, peakPods: 1, moments: recorder.moments },
    ...{ samples: [], checkNotes: [], notApplied: [], assumptions: [], requests: {} },
  } as unknown as Rehearsal;
  const { evidence = [] } = resultOf(rehearsal, object());
  expect(evidence.length).toBeGreaterThan(10);
  expect(new Set(evidence.map(({ seconds }) => seconds)).size).toBe(evidence.length);
  expect(evidence.map(({ against }) => against)).toEqual(evidence.map(({ against }) => against).toSorted((a, b) => a - b));
  expect(evidence.at(-1)).toMatchObject({ metric: 'errors', inFavour: 0 });
  expect(evidence.at(-1)?.against).toBeGreaterThan(evidence[0]?.against ?? 0);
  expect(resultOf({ ...rehearsal, moments: [] }, object())).not.toHaveProperty('evidence');
});

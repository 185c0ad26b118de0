import { describe, expect, it } from 'vitest';
import { at, kubernetes, releasing, steps } from '../../test/fakes/releasing.ts';
import { snapshotIn, verdict } from '../../test/fakes/stalled-release.ts';
import { aCanary, initialized, type World } from '../../test/fakes/world.ts';
import { summaryOf } from './canary-reading.ts';

const progressIn = (world: World) => summaryOf(snapshotIn({ world }).raw).release;

describe('the progress of a release in lists and status', () => {
  it('is its step of weight, its begin and its images', () => {
    const world = initialized(aCanary(steps));
    Object.assign(world.images, { 's1:a': { web: 'registry/web:1.2.0' }, 's1:b': { web: 'registry/web:1.3.0' } });
    world.pushUntil('s1:b', ({ canary }) => canary.status?.canaryWeight === 20);
    expect(progressIn(world)).toEqual({
      number: 1,
      began: '1970-01-01T00:16:50Z',
      images: [{ container: 'web', from: 'registry/web:1.2.0', to: 'registry/web:1.3.0' }],
      steps: { at: 1, of: 2, unit: 'weight' },
    });
  });
  it.each([
    { of: 'a provider without weights', spec: {}, iterations: 10 },
    { of: 'a Blue/Green analysis', spec: { iterations: 4 }, iterations: 4 },
  ])('is iterations for $of', ({ spec, iterations }) => {
    const world = initialized(aCanary(spec, { provider: 'kubernetes' }));
    kubernetes(world);
    world.pushUntil('s1:b', ({ release }) => release.iterations === 3);
    expect(progressIn(world)?.steps).toEqual({ at: 3, of: iterations, unit: 'iteration' });
  });
  it('names who paused it, and since when', () => {
    const world = releasing();
    world.ask('pause', 'p-1');
    expect(progressIn(world)?.paused).toEqual({ by: 'ann', since: expect.stringMatching(/Z$/) });
  });
  it('is without steps after its end, and absent before the first release', () => {
    const world = releasing();
    world.behaviour.verdicts = [verdict({})];
    world.tickUntil(at('Failed', 'resting'));
    expect(progressIn(world)).toEqual({ number: 1, began: '1970-01-01T00:16:50Z' });
    expect(progressIn(initialized())).toBeUndefined();
  });
  it.each([{ stepWeight: 0.0001 }, { stepWeights: 'all' }, { iterations: 'x' }, null])('costs little for an analysis of %j', (analysis) => {
    const { raw } = snapshotIn({ world: releasing() });
    const { steps: planned } = summaryOf({ ...raw, spec: { analysis } }).release ?? {};
    expect(planned).toMatchObject({ unit: 'weight' });
    expect(planned?.of).toBeLessThanOrEqual(100);
  });
});

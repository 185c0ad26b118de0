import { expect, it } from 'vitest';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { Phase } from '../../api/phase.ts';
import { workloadFor } from '../../workloads/index.ts';
import { followPods } from './canary-pods.ts';

const target = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'podinfo', namespace: 'test' },
  spec: { selector: { matchLabels: { app: 'podinfo' } } },
};

/** What is watched of a Canary in this phase. */
function followed(phase: Phase, found: object | undefined): unknown[] {
  const calls: unknown[] = [];
  const release = { ...initialized().release, run: 3 };
  const canary = { ...aCanary(), status: { phase, failedChecks: 0, canaryWeight: 0, iterations: 0, release } };
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) throw new Error(workload.unsupported);
  followPods(canary, workload, 'test/podinfo', {
    podWatches: {
      follow: (...call: unknown[]) => void calls.push(call),
      unfollow: (follower: string) => void calls.push(follower),
    } as never,
    view: { find: () => found && { object: found } } as never,
  });
  return calls;
}

const releasing: Phase[] = ['Progressing', 'WaitingPromotion'];

it.each(Phase.options)('I8, E27b: pods of a Canary that is %s are watched while its release is under analysis, and no others', (phase) => {
  const watched = ['test/podinfo', { namespace: 'test', selector: 'app=podinfo', run: 3, known: undefined }];
  expect(followed(phase, target)).toEqual(releasing.includes(phase) ? [watched] : ['test/podinfo']);
  expect(followed(phase, undefined)).toEqual(['test/podinfo']);
});

import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import { Phase } from '../../api/phase.ts';
import { deployment } from '../../workloads/deployment/deployment.ts';
import { followPods } from './canary-pods.ts';

const known = { crashes: 1, lost: 0, unready: 0, ends: {} };

const target = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: { selector: { matchLabels: { app: 'podinfo' } } } };

/** The calls to follow and unfollow pods of a Canary with this status. */
function followed(phase: Phase, release: object | undefined, isThere = true) {
  const asked: unknown[] = [];
  const podWatches = { follow: (...args: unknown[]) => asked.push(args), unfollow: (follower: string) => asked.push(follower) };
  const canary = { ...aCanary(), status: { phase, release } } as unknown as Canary;
  const view = { find: () => (isThere ? { object: target } : undefined) };
  followPods(canary, deployment, 'test/podinfo', { podWatches, view } as never);
  return asked;
}

it.each(Phase.options)('E27a: pods are watched while a release is in progress or waits for its promotion: %s', (phase) => {
  const watched = ['test/podinfo', { namespace: 'test', selector: 'app=podinfo', run: 3, known }];
  expect(followed(phase, { run: 3, failing: known })).toEqual(
    phase === 'Progressing' || phase === 'WaitingPromotion' ? [watched] : ['test/podinfo'],
  );
});

it.each([
  { what: 'no release is recorded', asked: () => followed('Progressing', undefined) },
  { what: 'the target is gone', asked: () => followed('Progressing', { run: 3 }, false) },
])('E27a: no pods are watched where $what', ({ asked }) => expect(asked()).toEqual(['test/podinfo']));

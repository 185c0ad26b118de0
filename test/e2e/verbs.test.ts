import { describe, expect, it } from 'vitest';
import { requestPolicyObjects } from '../../scripts/kustomize/manifests.ts';
import { requestAnnotation } from '../../src/api/names.ts';
import { isInvalid } from '../../src/kube/errors.ts';
import { eventually } from '../suite/eventually.ts';
import { aStage, type RealStage, startRealStage } from '../suite/stage.ts';
import { describeVerbs } from '../suite/verbs.ts';

/** With the policy of requests, and whoever asks has every right; what it refuses is in request-policy.test.ts. */
async function startGuardedStage(): Promise<RealStage> {
  const stage = await startRealStage();
  const group = 'rbac.authorization.k8s.io';
  for (const object of requestPolicyObjects()) await stage.cluster.apply(object);
  await stage.cluster.create({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'serin-requests' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'serin-requests' },
    subjects: [{ apiGroup: group, kind: 'User', name: 'serin' }],
  });
  return stage;
}

describe('on a real control plane, with the policy of requests', () => {
  const stage = aStage(startGuardedStage);

  it('the policy is in force', async () => {
    const analysis = { interval: '1m', threshold: 5, iterations: 1 };
    const metadata = { name: 'podinfo', namespace: 'default', annotations: { [requestAnnotation]: 'nonsense' } };
    const spec = { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' }, service: { port: 80 }, analysis };
    const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata, spec };
    await eventually('a request that cannot be read is refused', async () => {
      try {
        await stage().cluster.create(canary, { dryRun: true });
        return false;
      } catch (error) {
        if (!isInvalid(error)) throw error;
        expect(error.message).toContain(`${requestAnnotation} cannot be read`);
        return true;
      }
    });
  });

  describeVerbs(stage, 'serin');
});

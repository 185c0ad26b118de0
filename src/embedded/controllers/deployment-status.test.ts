import { describe, expect, it } from 'vitest';
import { asDeployment } from '../../api/kinds/deployment.ts';
import { asReplicaSet } from '../../api/kinds/replica-set.ts';
import { deploymentStatus } from './deployment-status.ts';

const deployment = asDeployment({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', generation: 2 },
  spec: { replicas: 1 },
});
const set = (replicas: number, availableReplicas: number) =>
  asReplicaSet({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web-x' },
    spec: { replicas },
    status: { replicas, availableReplicas, readyReplicas: availableReplicas },
  });

describe('the status of a Deployment', () => {
  it('counts a new pod that does not come as unavailable beside the old pod that stays for it', () => {
    const { status } = deploymentStatus(deployment, set(1, 0), [set(1, 1)], 0);
    expect(status).toMatchObject({ replicas: 2, updatedReplicas: 1, availableReplicas: 1, unavailableReplicas: 1 });
  });

  it('counts none as unavailable while it scales down', () => {
    expect(deploymentStatus(deployment, set(1, 3), [], 0).status).not.toHaveProperty('unavailableReplicas');
  });
});

import { afterAll, beforeAll, describe } from 'vitest';
import { describeCrdsCommand } from '../scenarios/crds-command.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

describe('serin crds on a real control plane', () => {
  let real: RealCluster;
  beforeAll(async () => {
    real = await startRealCluster();
  });
  afterAll(() => real?.stop());
  describeCrdsCommand(() => ({ cluster: real.cluster, kubeconfigFile: real.adminKubeconfigFile }));
});

import { afterAll, beforeAll, describe } from 'vitest';
import { describeAcceptedRoutes } from '../scenarios/accepted-routes.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

describe('what routers write is accepted by the API server with the CRDs that the providers publish, and stands still', () => {
  let real: RealCluster;
  beforeAll(async () => {
    real = await startRealCluster();
    await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod' } });
  });
  afterAll(() => real?.stop());

  describeAcceptedRoutes(() => real.cluster);
});

import { afterAll, beforeAll, describe } from 'vitest';
import { describeAcceptedRoutes } from '../scenarios/accepted-routes.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

describe('routers write objects that the API server accepts with the published CRDs of the providers, and that do not change afterwards', () => {
  let real: RealCluster;
  beforeAll(async () => {
    real = await startRealCluster();
    await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod' } });
  });
  afterAll(() => real?.stop());

  describeAcceptedRoutes(() => real.cluster);
});

import { applyPreconditionSuite } from '../scenarios/apply-preconditions.ts';
import { startRealCluster } from './real-cluster.ts';

applyPreconditionSuite('a real control plane', () => startRealCluster());

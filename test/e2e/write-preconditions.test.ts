import { writePreconditionSuite } from '../scenarios/write-preconditions.ts';
import { startRealCluster } from './real-cluster.ts';

writePreconditionSuite('a real control plane', () => startRealCluster());

import { topologyHintsSuite } from '../scenarios/topology-hints.ts';
import { startRealCluster } from './real-cluster.ts';

topologyHintsSuite('a real control plane', () => startRealCluster());

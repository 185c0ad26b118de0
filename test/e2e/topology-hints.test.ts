import { topologyHintsSuite } from '../suite/topology-hints.ts';
import { startRealCluster } from './real-cluster.ts';

topologyHintsSuite('a real control plane', () => startRealCluster());

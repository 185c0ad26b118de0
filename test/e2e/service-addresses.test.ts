import { serviceAddressSuite } from '../scenarios/service-addresses.ts';
import { startRealCluster } from './real-cluster.ts';

serviceAddressSuite('a real control plane', () => startRealCluster());

import { knativeTrafficSuite } from '../suite/knative-traffic.ts';
import { startRealCluster } from './real-cluster.ts';

knativeTrafficSuite('a real control plane', () => startRealCluster());

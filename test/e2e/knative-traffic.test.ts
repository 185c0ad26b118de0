import { withKnative } from '../scenarios/environment.ts';
import { knativeTrafficSuite } from '../scenarios/knative-traffic.ts';
import { startRealCluster } from './real-cluster.ts';

knativeTrafficSuite('a real control plane', () => withKnative(startRealCluster()));

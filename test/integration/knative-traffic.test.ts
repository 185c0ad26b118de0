import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { knativeTrafficSuite } from '../suite/knative-traffic.ts';

knativeTrafficSuite('the embedded cluster', () => startEmbeddedCluster());

import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { serviceAddressSuite } from '../suite/service-addresses.ts';

serviceAddressSuite('the embedded cluster', () => startEmbeddedCluster());

import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { serviceAddressSuite } from '../suite/service-addresses.ts';
import { enterVirtual, playTests, world } from '../suite/world.ts';

enterVirtual(37);
playTests();

serviceAddressSuite('the embedded cluster', () => startEmbeddedCluster({ world: world() }));

import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { serviceAddressSuite } from '../scenarios/service-addresses.ts';
import { enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(37);
playTests();

serviceAddressSuite('the embedded cluster', () => startEmbeddedCluster({ world: world() }));

import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { knativeTrafficSuite } from '../suite/knative-traffic.ts';
import { enterVirtual, playTests, world } from '../suite/world.ts';

enterVirtual(43);
playTests();

knativeTrafficSuite('the embedded cluster', () => startEmbeddedCluster({ world: world() }));

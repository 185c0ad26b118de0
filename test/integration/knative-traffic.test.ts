import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { withKnative } from '../scenarios/environment.ts';
import { knativeTrafficSuite } from '../scenarios/knative-traffic.ts';
import { enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(43);
playTests();

knativeTrafficSuite('the embedded cluster', () => withKnative(startEmbeddedCluster({ world: world() })));

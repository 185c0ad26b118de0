import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { topologyHintsSuite } from '../suite/topology-hints.ts';
import { enterVirtual, playTests, world } from '../suite/world.ts';

enterVirtual(41);
playTests();

topologyHintsSuite('the embedded cluster', () => startEmbeddedCluster({ world: world(), nodes: { nodes: [] } }));

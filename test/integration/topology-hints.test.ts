import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { topologyHintsSuite } from '../scenarios/topology-hints.ts';
import { enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(41);
playTests();

topologyHintsSuite('the embedded cluster', () => startEmbeddedCluster({ world: world(), nodes: { nodes: [] } }));

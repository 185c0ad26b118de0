import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { daemonNodes, daemonSetSuite } from '../scenarios/daemon-sets.ts';
import { enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(31);
playTests();

daemonSetSuite('the embedded cluster', () => startEmbeddedCluster({ world: world(), nodes: { nodes: daemonNodes, graceScale: 0.05 } }));

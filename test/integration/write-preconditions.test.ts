import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { enterVirtual, playTests, world } from '../scenarios/world.ts';
import { writePreconditionSuite } from '../scenarios/write-preconditions.ts';

enterVirtual(37);
playTests();

writePreconditionSuite('the embedded cluster', () => startEmbeddedCluster({ world: world() }));

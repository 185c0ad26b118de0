import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { applyPreconditionSuite } from '../scenarios/apply-preconditions.ts';
import { enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(37);
playTests();

applyPreconditionSuite('the embedded cluster', () => startEmbeddedCluster({ world: world() }));

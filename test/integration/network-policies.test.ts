import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { networkPolicySuite } from '../scenarios/network-policies.ts';
import { enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(43);
playTests();

networkPolicySuite('the embedded cluster', () => startEmbeddedCluster({ world: world() }));

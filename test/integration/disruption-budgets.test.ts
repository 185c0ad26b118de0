import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { disruptionBudgetSuite } from '../scenarios/disruption-budgets.ts';
import { enterVirtual, playTests, world } from '../scenarios/world.ts';

enterVirtual(47);
playTests();

disruptionBudgetSuite('the embedded cluster', () => startEmbeddedCluster({ world: world(), nodes: { graceScale: 0.1 } }));

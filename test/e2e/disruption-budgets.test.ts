import { disruptionBudgetSuite } from '../scenarios/disruption-budgets.ts';
import { startRealEnvironment } from '../scenarios/environment.ts';

disruptionBudgetSuite('a real control plane', () => startRealEnvironment({ moreControllers: ['disruption-controller'], graceScale: 0.1 }));

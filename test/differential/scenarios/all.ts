import { coveringRows, pairKeysOf } from './covering.ts';
import { isPossible } from './possible.ts';
import { FACTORS, factorNames, type NamedScenario, PLAIN, type Scenario } from './scenario.ts';

/** Another seed gives other rows of the same pairs: `DIFFERENTIAL_SEED=9 npm run test:differential`. */
const SEED = 1;
/** Scenarios that Flagger's users meet first and its own tests play. Every run plays them, for any seed. */
const ALWAYS: readonly Partial<Scenario>[] = [
  { checks: 'builtin' },
  { checks: 'builtin-fails', hook: 'post-rollout' },
  { provider: 'nginx', strategy: 'ab', gate: 'promotion-opens' },
  { provider: 'kubernetes', strategy: 'blueGreen', hook: 'rollout-4xx' },
  { gate: 'traffic-closed' },
  { gate: 'rollout-opens', hook: 'rollback-now' },
  { pods: 'one-unready', deadline: 'short' },
  { strategy: 'skipAnalysis', pods: 'unpullable', deadline: 'short' },
  { gate: 'promotion-closed', hook: 'rollback-later' },
  { gate: 'traffic-closed', hook: 'rollback-now' },
  { pods: 'one-breaks', deadline: 'short' },
  { provider: 'kubernetes', target: 'Service', strategy: 'blueGreen' },
  { routing: 'ports-beside-mesh' },
  { strategy: 'ab', routing: 'labels-beside-gateways' },
];

/** Appended last, so that the names of the other scenarios stay the same. */
const LATER: readonly Partial<Scenario>[] = [
  { crashes: 'loop' },
  { crashes: 'loop', target: 'DaemonSet' },
  { crashes: 'loop', strategy: 'blueGreen', provider: 'kubernetes' },
];

export interface Scenarios {
  list: NamedScenario[];
  /** Number of pairs of values that can be combined, and number of these pairs in the given scenarios. */
  pairsOf(scenarios: readonly NamedScenario[]): { possible: number; covered: number };
}

export function allScenarios(seed = Number(process.env.DIFFERENTIAL_SEED ?? SEED)): Scenarios {
  const { routing: _, crashes: _crashes, ...covered } = FACTORS;
  const { rows, possible } = coveringRows({ ...covered, target: ['Deployment', 'DaemonSet'] }, isPossible, seed);
  const all = [...ALWAYS, ...rows, ...LATER].map((one) => ({ ...PLAIN, ...one }) as Scenario);
  return {
    list: all.map((scenario, index) => ({ ...scenario, name: `s${String(index).padStart(3, '0')}x` })),
    pairsOf(scenarios) {
      const held = scenarios.flatMap((scenario) => pairKeysOf(scenario, factorNames)).filter((key) => possible.has(key));
      return { possible: possible.size, covered: new Set(held).size };
    },
  };
}

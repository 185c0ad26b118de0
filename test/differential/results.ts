import type { Difference } from './comparison/compare.ts';
import type { Judgement } from './comparison/judge.ts';
import { describeScenario, type NamedScenario } from './scenarios/scenario.ts';

/** Results that the long run writes: test/differential/results.json, of which docs/differential.md is made. */
export interface Results {
  flagger: string;
  /** Duration of the run. */
  minutes: number;
  scenarios: number;
  /** Number of scenarios in the whole set. `DIFFERENTIAL_SCENARIOS` can limit a run to the first ones. */
  ofAll: number;
  pairs: { possible: number; covered: number };
  /** Times that a row of docs/differences.md explained a difference, and in how many scenarios. */
  differences: { id: string; differences: number; scenarios: number; aspects: string[] }[];
  unclaimed: { scenario: string; aspect: string; flagger: unknown; serin: unknown }[];
}

export function resultsOf(
  scenarios: readonly NamedScenario[],
  ofAll: number,
  pairs: Results['pairs'],
  { claimed, unclaimed }: Judgement,
  minutes: number,
): Results {
  const ids = [...new Set(claimed.map(({ id }) => id))].sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)));
  return {
    flagger: '1.44.0',
    minutes,
    scenarios: scenarios.length,
    ofAll,
    pairs,
    differences: ids.map((id) => {
      const found = claimed.filter((one) => one.id === id).map(({ difference }) => difference);
      return {
        id,
        differences: found.length,
        scenarios: new Set(found.map(({ scenario }) => scenario.name)).size,
        aspects: [...new Set(found.map(({ aspect }) => aspectGroup(aspect)))].sort(),
      };
    }),
    unclaimed: unclaimed.map(({ scenario, aspect, flagger, serin }) => ({ scenario: describeScenario(scenario), aspect, flagger, serin })),
  };
}

/** `query` of `query: sum(…)`, `object` of `object Service/APP`. */
export const aspectGroup = (aspect: string): string => aspect.split(/: | (?=\S+\/)/)[0] ?? aspect;

/** A difference in three lines, for a failed test. */
export const showDifference = ({ aspect, flagger, serin }: Difference): string =>
  `${aspect}\n    Flagger: ${shown(flagger)}\n    Serin:   ${shown(serin)}`;

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

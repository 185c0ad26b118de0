import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultsOf } from '../differential/results.ts';
import { describeScenarios } from '../differential/run/describe-scenarios.ts';
import { allScenarios } from '../differential/scenarios/all.ts';

const RESULTS = join(import.meta.dirname, '..', 'differential', 'results.json');
/** More at once leave two cores no time to answer within an interval. */
const AT_A_TIME = 24;
const { list, pairsOf } = allScenarios();
/** `DIFFERENTIAL_SCENARIOS=40` plays only the first ones. */
const played = list.slice(0, Number(process.env.DIFFERENTIAL_SCENARIOS ?? list.length));

await describeScenarios('all scenarios', played, AT_A_TIME, (judgement, minutes) => {
  for (const id of judgement.idleIds) console.warn(`${id} is claimed, and explained no difference of this run`);
  writeFileSync(RESULTS, `${JSON.stringify(resultsOf(played, list.length, pairsOf(played), judgement, minutes), null, 2)}\n`);
});

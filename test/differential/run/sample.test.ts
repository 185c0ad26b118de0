import { allScenarios } from '../scenarios/all.ts';
import { describeScenarios } from './describe-scenarios.ts';

/** The first rows hold the most pairs; so many fit into six minutes on two cores, all at once. */
const SAMPLE = 28;

await describeScenarios('a sample of the scenarios', allScenarios().list.slice(0, SAMPLE), SAMPLE);

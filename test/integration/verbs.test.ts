import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeVerbs } from '../scenarios/verbs/index.ts';

// A part of the table's rounds; test/long has all of them, on both clusters.
describe('on the embedded cluster', () =>
  describeVerbs(aStage(startVirtualStage), { isTwice: false, restarts: ['promote'], handOvers: [] }));

import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeVerbs } from '../scenarios/verbs/index.ts';

// A part of the table's rounds; test/long has all of them, on both clusters.
describe('on the embedded cluster', () =>
  describeVerbs(anEnvironment(startVirtualEnvironment), { isTwice: false, restarts: ['promote'], handOvers: [] }));

import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeVerbs } from '../scenarios/verbs/index.ts';

// All restarts and hand-overs, on both clusters, are in test/long: they take half an hour.
describe('on a real control plane', () =>
  describeVerbs(anEnvironment(startRealEnvironment), { isTwice: true, restarts: ['promote'], handOvers: ['promote'] }));

import { describe } from 'vitest';
import { aStage, startRealStage } from '../suite/stage.ts';
import { describeVerbs } from '../suite/verbs/index.ts';

// All restarts and hand-overs, on both clusters, are in test/long: they take half an hour.
describe('on a real control plane', () =>
  describeVerbs(aStage(startRealStage), { isTwice: true, restarts: ['promote'], handOvers: ['promote'] }));

import { describe } from 'vitest';
import { chosenOf, playableOnEmbedded } from '../attacks/classes.ts';
import { policy } from '../attacks/policy.ts';
import { describeAttacks } from '../attacks/run.ts';
import { aStage, startRealStage } from '../scenarios/environment.ts';

const { classes, seed } = chosenOf(playableOnEmbedded, 0.15);

describe(`on a real control plane, seed ${seed}`, () => describeAttacks(aStage(startRealStage), [...classes, policy]));

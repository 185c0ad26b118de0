import { describe } from 'vitest';
import { chosenOf, playableOnEmbedded } from '../attacks/classes.ts';
import { policy } from '../attacks/policy.ts';
import { describeAttacks } from '../attacks/run.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';

const { classes, seed } = chosenOf(playableOnEmbedded, 0.15);

describe(`on a real control plane, seed ${seed}`, () => describeAttacks(anEnvironment(startRealEnvironment), [...classes, policy]));

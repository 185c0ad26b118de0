import { describe } from 'vitest';
import { chosenOf, playableOnEmbedded } from '../attacks/classes.ts';
import { describeAttacks } from '../attacks/run.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

const { classes, seed } = chosenOf(playableOnEmbedded, 0.1);

describe(`on the embedded cluster, seed ${seed}`, () => describeAttacks(aStage(startEmbeddedStage), classes));

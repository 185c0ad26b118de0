import { describe } from 'vitest';
import { classes, sampleOf } from '../attacks/classes.ts';
import { describeAttacks } from '../attacks/run.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

/** `ATTACK_SHARE=1` makes all of them, `ATTACK_SEED=9` others; `ATTACK=EGR` chooses among all. */
const { ATTACK, ATTACK_SHARE = ATTACK ? '1' : '0.2', ATTACK_SEED = '14' } = process.env;

describe(`on the embedded cluster, seed ${ATTACK_SEED}`, () =>
  describeAttacks(aStage(startEmbeddedStage), sampleOf(classes, Number(ATTACK_SHARE), Number(ATTACK_SEED))));

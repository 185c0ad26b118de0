import { describe } from 'vitest';
import { classes } from '../attacks/classes.ts';
import { describeAttacks } from '../attacks/run.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeAttacks(aStage(startEmbeddedStage), classes));

import { describe } from 'vitest';
import { classes } from '../attacks/classes.ts';
import { describeAttacks } from '../attacks/run.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describe('on a real control plane', () => describeAttacks(aStage(startRealStage), classes));

import { describe } from 'vitest';
import { aStage, startRealStage } from '../suite/stage.ts';
import { describeUnroutable } from '../suite/unroutable.ts';

describe('on a real control plane', () => describeUnroutable(aStage(startRealStage)));

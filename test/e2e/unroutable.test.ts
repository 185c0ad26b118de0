import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/stage.ts';
import { describeUnroutable } from '../scenarios/unroutable.ts';

describe('on a real control plane', () => describeUnroutable(aStage(startRealStage)));

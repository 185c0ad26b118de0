import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeUnroutable } from '../scenarios/unroutable.ts';

describe('on a real control plane', () => describeUnroutable(aStage(startRealStage)));

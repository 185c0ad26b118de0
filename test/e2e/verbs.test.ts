import { describe } from 'vitest';
import { aStage, startRealStage } from '../suite/stage.ts';
import { describeVerbs } from '../suite/verbs.ts';

describe('on a real control plane', () => describeVerbs(aStage(startRealStage), 'serin'));

import { describe } from 'vitest';
import { describeOutages } from '../suite/outages.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describe('on a real control plane', () => describeOutages(aStage(startRealStage)));

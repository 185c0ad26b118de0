import { describe } from 'vitest';
import { describeOutages } from '../scenarios/outages.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describe('on a real control plane', () => describeOutages(aStage(startRealStage)));

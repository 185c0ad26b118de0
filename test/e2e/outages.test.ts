import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeOutages } from '../scenarios/outages.ts';

describe('on a real control plane', () => describeOutages(aStage(startRealStage)));

import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeOutages } from '../scenarios/outages.ts';

describe('on the embedded cluster', () => describeOutages(aStage(startVirtualStage)));

import { describe } from 'vitest';
import { describeOutages } from '../scenarios/outages.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describe('on the embedded cluster', () => describeOutages(aStage(startVirtualStage)));

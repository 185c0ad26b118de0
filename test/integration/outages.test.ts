import { describe } from 'vitest';
import { describeOutages } from '../suite/outages.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeOutages(aStage(startVirtualStage)));

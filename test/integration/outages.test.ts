import { describe } from 'vitest';
import { describeOutages } from '../suite/outages.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeOutages(aStage(startEmbeddedStage)));

import { describe } from 'vitest';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';
import { describeStalls } from '../suite/stalling.ts';

describe('on the embedded cluster', () => describeStalls(aStage(startEmbeddedStage)));

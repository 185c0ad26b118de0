import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../suite/stage.ts';
import { describeStalls } from '../suite/stalling.ts';

describe('on the embedded cluster', () => describeStalls(aStage(startVirtualStage)));

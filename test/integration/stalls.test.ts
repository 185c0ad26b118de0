import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeStalls } from '../scenarios/stalling.ts';

describe('on the embedded cluster', () => describeStalls(aStage(startVirtualStage)));

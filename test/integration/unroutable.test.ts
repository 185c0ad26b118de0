import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeUnroutable } from '../scenarios/unroutable.ts';

describe('on the embedded cluster', () => describeUnroutable(aStage(startVirtualStage)));

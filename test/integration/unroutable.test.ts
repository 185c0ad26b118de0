import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../suite/stage.ts';
import { describeUnroutable } from '../suite/unroutable.ts';

describe('on the embedded cluster', () => describeUnroutable(aStage(startVirtualStage)));

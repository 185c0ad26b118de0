import { describe } from 'vitest';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';
import { describeUnroutable } from '../suite/unroutable.ts';

describe('on the embedded cluster', () => describeUnroutable(aStage(startEmbeddedStage)));

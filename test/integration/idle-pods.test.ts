import { describe } from 'vitest';
import { describeIdlePods } from '../suite/idle-pods.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeIdlePods(aStage(startEmbeddedStage)));

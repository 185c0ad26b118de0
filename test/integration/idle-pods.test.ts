import { describe } from 'vitest';
import { describeIdlePods } from '../suite/idle-pods.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeIdlePods(aStage(startVirtualStage)));

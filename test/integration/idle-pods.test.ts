import { describe } from 'vitest';
import { describeIdlePods } from '../scenarios/idle-pods.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describe('on the embedded cluster', () => describeIdlePods(aStage(startVirtualStage)));

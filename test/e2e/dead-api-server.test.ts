import { describe } from 'vitest';
import { describeDeadApiServer } from '../suite/dead-api-server.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describe('on a real control plane', () => describeDeadApiServer(aStage(startRealStage)));

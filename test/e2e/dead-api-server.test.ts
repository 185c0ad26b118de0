import { describe } from 'vitest';
import { describeDeadApiServer } from '../scenarios/dead-api-server.ts';
import { aStage, startRealStage } from '../scenarios/environment.ts';

describe('on a real control plane', () => describeDeadApiServer(aStage(startRealStage)));

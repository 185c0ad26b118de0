import { describe } from 'vitest';
import { describeDeadApiServer } from '../scenarios/dead-api-server.ts';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';

describe('on the embedded cluster', () => describeDeadApiServer(aStage(startVirtualStage)));

import { describe } from 'vitest';
import { describeDeadApiServer } from '../suite/dead-api-server.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeDeadApiServer(aStage(startVirtualStage)));

import { describe } from 'vitest';
import { describeDeadApiServer } from '../scenarios/dead-api-server.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';

describe('on a real control plane', () => describeDeadApiServer(anEnvironment(startRealEnvironment)));

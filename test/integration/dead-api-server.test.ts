import { describe } from 'vitest';
import { describeDeadApiServer } from '../scenarios/dead-api-server.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';

describe('on the embedded cluster', () => describeDeadApiServer(anEnvironment(startVirtualEnvironment)));

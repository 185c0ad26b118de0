import { describe } from 'vitest';
import { anEnvironment, startEmbeddedEnvironment } from '../scenarios/environment.ts';
import { describeTrafficCommand } from '../scenarios/traffic-command.ts';

// In real time: the command is a process of its own.
describe('serin traffic on the embedded cluster', () => describeTrafficCommand(anEnvironment(startEmbeddedEnvironment)));

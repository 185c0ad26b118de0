import { describe } from 'vitest';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';
import { describeTrafficCommand } from '../suite/traffic-command.ts';

// In real time: the command is a process of its own.
describe('serin traffic on the embedded cluster', () => describeTrafficCommand(aStage(startEmbeddedStage)));

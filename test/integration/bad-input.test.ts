import { describe } from 'vitest';
import { describeBadInput } from '../scenarios/bad-input.ts';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';

describe('on the embedded cluster', () => describeBadInput(aStage(startVirtualStage)));

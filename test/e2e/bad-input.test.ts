import { describe } from 'vitest';
import { describeBadInput } from '../scenarios/bad-input.ts';
import { aStage, startRealStage } from '../scenarios/environment.ts';

describe('on a real control plane', () => describeBadInput(aStage(startRealStage)));

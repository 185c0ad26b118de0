import { describe } from 'vitest';
import { describeBadInput } from '../suite/bad-input.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describe('on a real control plane', () => describeBadInput(aStage(startRealStage)));

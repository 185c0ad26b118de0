import { describe } from 'vitest';
import { describeBadInput } from '../suite/bad-input.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeBadInput(aStage(startVirtualStage)));

import { describe } from 'vitest';
import { describeBadInput } from '../scenarios/bad-input.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';

describe('on a real control plane', () => describeBadInput(anEnvironment(startRealEnvironment)));

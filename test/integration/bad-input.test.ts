import { describe } from 'vitest';
import { describeBadInput } from '../scenarios/bad-input.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';

describe('on the embedded cluster', () => describeBadInput(anEnvironment(startVirtualEnvironment)));

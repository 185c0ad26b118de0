import { describe } from 'vitest';
import { describeCrashLoops } from '../scenarios/crash-loops.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';

describe('on the embedded cluster', () => describeCrashLoops(anEnvironment(() => startVirtualEnvironment({ seed: 4 }))));

import { describe } from 'vitest';
import { startRealEnvironment } from '../../scenarios/environment.ts';
import { describeMistakes } from '../describe-mistakes.ts';

describe('on a real control plane', () =>
  describeMistakes('real', (options) => startRealEnvironment({ ...options, moreControllers: ['resourcequota-controller'] })));

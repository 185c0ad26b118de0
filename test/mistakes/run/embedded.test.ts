import { describe } from 'vitest';
import { startEmbeddedEnvironment } from '../../scenarios/environment.ts';
import { describeMistakes } from '../describe-mistakes.ts';

describe('on the embedded cluster', () => describeMistakes('embedded', startEmbeddedEnvironment));

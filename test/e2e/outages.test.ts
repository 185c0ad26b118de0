import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeOutages } from '../scenarios/outages.ts';

describe('on a real control plane', () => describeOutages(anEnvironment(startRealEnvironment)));

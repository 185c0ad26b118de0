import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeOutages } from '../scenarios/outages.ts';

describe('on the embedded cluster', () => describeOutages(anEnvironment(startVirtualEnvironment)));

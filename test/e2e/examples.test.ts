import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeExamples } from '../scenarios/examples.ts';

describe('the examples, by kubectl on a real control plane', () =>
  describeExamples(anEnvironment(startRealEnvironment), async ({ kubectl }, file) => {
    await kubectl('apply', '-f', file);
  }));

import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeExamples } from '../scenarios/examples.ts';

describe('the examples, by kubectl on a real control plane', () =>
  describeExamples(aStage(startRealStage), async ({ kubectl }, file) => {
    await kubectl('apply', '-f', file);
  }));

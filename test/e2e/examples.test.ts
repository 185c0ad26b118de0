import { describe } from 'vitest';
import { describeExamples } from '../scenarios/examples.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describe('the examples, by kubectl on a real control plane', () =>
  describeExamples(aStage(startRealStage), async ({ kubectl }, file) => {
    await kubectl('apply', '-f', file);
  }));

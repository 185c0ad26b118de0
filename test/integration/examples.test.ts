import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { describeExamples } from '../scenarios/examples.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describe('the examples on the embedded cluster', () =>
  describeExamples(aStage(startVirtualStage), async ({ cluster }, file) => {
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) await cluster.apply(document.toJS(), { fieldManager: 'kubectl' });
  }));

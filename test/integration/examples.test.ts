import { readFileSync } from 'node:fs';
import { describe } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeExamples } from '../scenarios/examples.ts';

describe('the examples on the embedded cluster', () =>
  describeExamples(anEnvironment(startVirtualEnvironment), async ({ cluster }, file) => {
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) await cluster.apply(document.toJS(), { fieldManager: 'kubectl' });
  }));

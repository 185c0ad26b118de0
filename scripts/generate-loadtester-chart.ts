/** Writes what is generated of charts/loadtester: values, their schema and the README; with `--check`, fails when a file differs. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFiles } from './chart/chart-files.ts';
import { LoadTesterValues } from './chart/loadtester-values.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';

const generator = 'generate-loadtester-chart.ts';
export const generate: Generate = () =>
  chartFiles({
    chart: {
      name: 'loadtester',
      description: 'Load, tests and gates for the webhooks of Canaries',
      keywords: ['canary', 'load-testing', 'gates', 'progressive-delivery'],
      category: 'integration-delivery',
    },
    generator,
    readme: readFileSync(join(import.meta.dirname, '..', 'charts', 'loadtester', 'README.md'), 'utf8'),
    values: { file: 'scripts/chart/loadtester-values.ts', schema: LoadTesterValues },
    source: 'scripts/chart',
  });

if (import.meta.main) await runAlone(generate);

/** Writes what is generated of charts/serin: values, their schema, the README, rules and policies; with `--check`, fails when a file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { crds } from '../src/api/crds.ts';
import { apexGuardTemplate, requestPolicyTemplate } from './admission/policy-templates.ts';
import { chartFiles } from './chart/chart-files.ts';
import { rulesTemplate } from './chart/rules-template.ts';
import { valueKeys } from './chart/value-keys.ts';
import { Values } from './chart/values.ts';
import { valuesSchema } from './chart/values-files.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';

const generator = 'generate-chart.ts';
/** For the page of the chart on Artifact Hub. */
const definitions = {
  Canary: 'Release of new versions of one workload: target, Service, analysis',
  MetricTemplate: 'A query of a metric backend, for the checks of Canaries',
  AlertProvider: 'A chat service or webhook that receives messages about releases',
};

export const generate: Generate = () => [
  ...chartFiles({
    chart: {
      name: 'serin',
      description: manifest.description,
      keywords: ['canary', 'blue-green', 'a-b-testing', 'progressive-delivery'],
      category: 'integration-delivery',
      definitions: crds().map(({ metadata, spec }) => ({
        kind: spec.names.kind,
        version: spec.versions[0]?.name ?? '',
        name: metadata.name,
        description: definitions[spec.names.kind as keyof typeof definitions],
      })),
    },
    generator,
    readme: readFileSync(join(import.meta.dirname, '..', 'charts', 'serin', 'README.md'), 'utf8'),
    values: { file: 'scripts/chart/values.ts', schema: Values },
    files: {
      'templates/_rules.tpl': rulesTemplate(),
      'templates/_request-policy.tpl': requestPolicyTemplate(),
      'templates/_apex-guard.tpl': apexGuardTemplate(),
    },
    source: 'scripts/chart, scripts/admission and src/controller/permissions.ts',
  }),
  {
    path: join(import.meta.dirname, '..', 'src', 'cli', 'rights', 'chart-keys.json'),
    text: `${JSON.stringify(valueKeys(valuesSchema(Values)), null, 2)}\n`,
    source: 'scripts/chart/values.ts',
  },
];

if (import.meta.main) await runAlone(generate);

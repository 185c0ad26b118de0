/** Writes the tables of scenarios, steps and mistakes into docs/rehearse.md; with `--check`, fails when the committed ones differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { RULES } from '../src/cli/rehearse/sarif-report.ts';
import { Action } from '../src/rehearsal/scenario.ts';
import { scenarios } from '../src/rehearsal/scenarios.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const path = join(import.meta.dirname, '..', 'docs', 'rehearse.md');
const source = 'src/rehearsal';
interface Field {
  description?: string;
  type?: string;
  items?: { enum?: string[] };
}

const ours = scenarios.map(({ name, says, expect }) => `| \`${name}\` | ${says} | ${expect.replace('-', ' ')} |`);
const steps = Action.options.map((option) => {
  const { description = '' } = option.meta() ?? {};
  const { properties = {} } = z.toJSONSchema(option, { io: 'input' }) as { properties?: Record<string, Field> };
  const fields = Object.entries(properties)
    .filter(([name]) => name !== 'do')
    .map(([name, field]) => `\`${name}\`${field.description ? ` (${field.description})` : ''}`);
  return `| \`${option.shape.do.value}\` | ${description} | ${fields.join('; ')} |`;
});

const rules = Object.entries(RULES).map(([rule, says]) => `| \`${rule}\` | ${says} |`);

const scenarioTables = [
  '| scenario | what is different | must be |',
  '|---|---|---|',
  ...ours,
  '',
  '| `do` | what it does | fields |',
  '|---|---|---|',
  ...steps,
];
const mistakes = ['| rule | |', '|---|---|', ...rules];
const parts = { scenarios: scenarioTables.join('\n'), mistakes: mistakes.join('\n') };
export const generate: Generate = () => [{ path, text: withParts(readFileSync(path, 'utf8'), 'generate-rehearse', parts), source }];

if (import.meta.main) await runAlone(generate);

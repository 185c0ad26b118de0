/** Writes the table into docs/validate.md; with `--check`, fails when the committed one differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checksWith } from '../src/cli/validate/checks/index.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const path = join(import.meta.dirname, '..', 'docs', 'validate.md');
const source = 'src/cli/validate/checks/index.ts';
const rows = checksWith(() => []).map(([name, finds]) => `| ${name} | ${finds} |`);
const table = `| check | finds |\n|---|---|\n${rows.join('\n')}`;
export const generate: Generate = () => [{ path, text: withParts(readFileSync(path, 'utf8'), 'generate-validate', { table }), source }];

if (import.meta.main) await runAlone(generate);

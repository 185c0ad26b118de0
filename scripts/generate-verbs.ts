/** Writes the table into docs/verbs.md; with `--check`, fails when the committed one differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableText } from '../test/scenarios/verbs/table.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const path = join(import.meta.dirname, '..', 'docs', 'verbs.md');
const source = 'test/scenarios/verbs/table.ts';

export const generate: Generate = () => {
  const text = withParts(readFileSync(path, 'utf8'), 'generate-verbs', { table: tableText() });
  return [{ path, text, source }];
};

if (import.meta.main) await runAlone(generate);

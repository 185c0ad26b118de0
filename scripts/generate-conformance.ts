/** Writes docs/conformance.md from test/rules.yaml, the rows in scripts/conformance and the calls of test/planes; with `--check`, fails when the committed file differs. */
import { join } from 'node:path';
import { conformanceOf } from './conformance/conformance.ts';
import { PLANES, pinnedIn, planeSources, planeTable } from './conformance/planes.ts';
import { readRowPages } from './conformance/row-pages.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { SHOWN, shownInOrder } from './rules/shown.ts';

const root = join(import.meta.dirname, '..');

export const generate: Generate = () => {
  const planes = planeTable(PLANES, planeSources(root), pinnedIn(root));
  const { text, faults } = conformanceOf(readRowPages(), shownInOrder(root), planes.text);
  if (faults.length + planes.faults.length > 0) throw new Error([...faults, ...planes.faults].join('\n'));
  return [{ path: join(root, 'docs', 'conformance.md'), text, source: SHOWN }];
};

if (import.meta.main) await runAlone(generate);

/** Writes docs/conformance.md from the titles of the tests, the rows in scripts/conformance and the calls of test/planes; with `--check`, fails when the committed file differs. */
import { join } from 'node:path';
import { conformanceOf } from './conformance/conformance.ts';
import { PLANES, pinnedIn, planeSources, planeTable } from './conformance/planes.ts';
import { readRowPages } from './conformance/row-pages.ts';
import { titlesOfTests } from './conformance/test-titles.ts';
import { writeOrCheck } from './write-or-check.ts';

const root = join(import.meta.dirname, '..');
const planes = planeTable(PLANES, planeSources(root), pinnedIn(root));
const { text, faults } = conformanceOf(readRowPages(), titlesOfTests(root), planes.text);
for (const fault of [...faults, ...planes.faults]) {
  console.error(`conformance: ${fault}`);
  process.exitCode = 1;
}
writeOrCheck(join(root, 'docs', 'conformance.md'), text, 'the titles of the tests');

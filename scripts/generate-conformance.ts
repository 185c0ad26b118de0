/** Writes docs/conformance.md from the titles of the tests and the rows in scripts/conformance; with `--check`, fails when the committed file differs. */
import { join } from 'node:path';
import { conformanceOf } from './conformance/conformance.ts';
import { readRowPages } from './conformance/row-pages.ts';
import { titlesOfTests } from './conformance/test-titles.ts';
import { writeOrCheck } from './write-or-check.ts';

const root = join(import.meta.dirname, '..');
const { text, faults } = conformanceOf(readRowPages(), titlesOfTests(root));
for (const fault of faults) {
  console.error(`conformance: ${fault}`);
  process.exitCode = 1;
}
writeOrCheck(join(root, 'docs', 'conformance.md'), text, 'the titles of the tests');

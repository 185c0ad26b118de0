/**
 * Runs the demo and keeps what its terminal showed, for the pictures of the README. Its figures are those of one run, so that no check
 * compares them: run it again when test/integration/demo.test.ts finds that the demo prints other text.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordDemo } from './recording/record.ts';

const { recording, exit } = await recordDemo();
if (exit === 0) writeFileSync(join(import.meta.dirname, '..', 'docs', 'demo', 'recording.json'), `${JSON.stringify(recording)}\n`);
else console.error(`the demo ended with exit code ${exit}: nothing is recorded`);
process.exitCode = exit ?? 1;

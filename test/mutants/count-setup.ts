/** Loaded before each test file of the counting run: says at which anchors of the mutants the file has come by. */
import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

declare global {
  var __ran: ((anchor: number) => void) | undefined;
}

const counts = process.env.MUTANT_COUNTS ?? '';
const ran = new Set<number>();
let loaded: number[] = [];
globalThis.__ran = (anchor) => ran.add(anchor);

beforeAll(() => {
  loaded = [...ran];
  ran.clear();
});

afterAll(() => {
  const file = relative(join(import.meta.dirname, '..', '..'), expect.getState().testPath ?? '');
  appendFileSync(counts, `${JSON.stringify({ file, loaded, ran: [...ran] })}\n`);
});

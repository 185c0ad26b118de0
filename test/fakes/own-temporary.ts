import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/**
 * One temporary folder for all that the tests of a run write, also the programs that they start. It is removed at the end, and stays when a test failed: the messages
 * of failed assertions name logs in it.
 */
export default function setup({ vitest }: TestProject): () => void {
  const before = process.env.TMPDIR;
  // Short: the paths of sockets have at most 108 bytes.
  const folder = mkdtempSync(join(tmpdir(), 'serin-'));
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    const failed = vitest.state.getCountOfFailedTests() > 0 || vitest.state.getUnhandledErrors().length > 0;
    if (failed) process.stderr.write(`The logs of this run stay in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  };
}

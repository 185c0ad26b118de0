import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBinaries } from '../../scripts/e2e-binaries.ts';
import { pageOf, subjects } from '../../scripts/tutorials/subjects.ts';
import { program } from '../fakes/program.ts';
import { docBlocks, notShown, runScript } from '../scenarios/doc-commands.ts';
import { type DocTerminal, openTerminal } from '../scenarios/doc-terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const AT_A_TIME = 3;
/** A guard: each wait of a page has a bound of its own. */
const LONGEST_MS = 1_200_000;

describe('the unmodified commands of the tutorials', () => {
  let path: string;
  beforeAll(async () => {
    path = `${(await ensureBinaries()).dir}:${dirname(process.execPath)}:${process.env.PATH}`;
  });

  // Three at a time: each has a cluster and a controller of its own, and mostly waits.
  const pages = subjects.map(pageOf);
  const rounds = Array.from({ length: Math.ceil(pages.length / AT_A_TIME) }, (_, index) =>
    pages.slice(AT_A_TIME * index, AT_A_TIME * (index + 1)),
  );
  it.each(rounds.map((round) => ({ round, names: round.join(', ') })))(
    '$names',
    async ({ round }) => {
      // All are read to their end, so that nothing of theirs is left running.
      const ends = await Promise.allSettled(round.map((page) => follow(`tutorials/${page}`, path)));
      expect(ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))).toEqual([]);
    },
    LONGEST_MS,
  );
});

async function follow(page: string, path: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'serin-tutorial-'));
  const env = { HOME: home, PATH: path };
  // The reader's checkout, which has been built.
  symlinkSync(dirname(program()), join(home, 'dist'));
  for (const part of ['node_modules', 'package.json']) symlinkSync(join(ROOT, part), join(home, part));
  const terminals: DocTerminal[] = [];
  try {
    for (const { terminal, script, heading, shows = '' } of docBlocks(page)) {
      if (terminal !== undefined) {
        terminals.push(await openTerminal(script, { ...process.env, ...env }, home));
        continue;
      }
      // The reader's third terminal goes on; ours is a new one each time.
      const { exit, output } = await runScript(`. "$HOME/serin-cluster.env"\n${script}`, env, home);
      const shown = terminals.map((one) => one.output().slice(-3000)).join('\n---\n');
      expect(exit, `${heading}\n${script}\n${output}\n${shown}`).toBe(0);
      expect(notShown(shows, output), `${heading}\n${output}`).toEqual([]);
    }
  } finally {
    await Promise.all(terminals.map((terminal) => terminal.close()));
    rmSync(home, { recursive: true, force: true });
  }
}

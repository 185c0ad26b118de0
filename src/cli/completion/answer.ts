import type { Command } from 'commander';
import { parseDuration } from '../../api/duration.ts';
import { printable } from '../../base/printable.ts';
import { clusterNames } from './cluster-names.ts';
import { type Completions, completions } from './completions.ts';

/** Longest wait of a shell for names, without `SERIN_COMPLETION_TIMEOUT`. */
const WITHIN_MS = 2_000;

/** The output of `serin __complete` for these words; empty where only files can follow. */
export async function answerShell(program: Command, words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const withinMs = parseDuration(env.SERIN_COMPLETION_TIMEOUT ?? '') || WITHIN_MS;

  return inLines(
    await completions(program, words, (what, given) =>
      what === 'files' ? Promise.resolve([]) : clusterNames(what, given, { env, withinMs }),
    ),
  );
}

/**
 * The format that kubectl reads from a plugin's `kubectl_complete-NAME`: a line each, with a tab before its description, and last `:4` if no file can follow,
 * `:0` if one can. Source: kubectl's documentation of plugins, and the directives of cobra's completions.
 */
function inLines({ candidates, files }: Completions): string {
  const lines = candidates.map(({ value, says }) =>
    says === undefined ? printable(value) : `${printable(value)}\t${printable(says.replace(/\s+/g, ' '))}`,
  );
  return `${[...lines, files ? ':0' : ':4'].join('\n')}\n`;
}

/** Writes what a rehearsal of a release has shown into docs/release-rehearsal.md; with `--check`, fails when the committed one differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';
import { type Recorded, readRecorded } from './release/rehearsal/recorded.ts';

const path = join(import.meta.dirname, '..', 'docs', 'release-rehearsal.md');
const source = 'test/release/recorded.json';

const block = (lines: readonly string[]): string[] => ['```text', ...lines, '```'];

const parts: Readonly<Record<string, (recorded: Recorded) => string[]>> = {
  refusals: ({ refusals }) =>
    refusals.flatMap(({ what, verification, words }) => ['', `**${what}**, by \`verify=${verification}\`:`, '', ...block(words)]),
  twice: ({ twice: { same, different } }) => [
    '',
    `The same bytes: ${same.map((part) => `\`${part}\``).join(', ')}.`,
    '',
    `Different: ${different.length === 0 ? 'nothing' : different.map((part) => `\`${part}\``).join(', ')}.`,
  ],
  transcript: ({ transcript }) => ['', ...block(transcript)],
};

export const generate: Generate = () => {
  const recorded = readRecorded();
  const text = Object.fromEntries(Object.entries(parts).map(([name, lines]) => [name, lines(recorded).join('\n')]));
  return [{ path, text: withParts(readFileSync(path, 'utf8'), 'generate-release-rehearsal', text), source, isPart: true }];
};

if (import.meta.main) await runAlone(generate);

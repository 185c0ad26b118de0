import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.ts';
import type { Refusal } from './tampering.ts';

/** One rehearsal, for docs/release-rehearsal.md. */
export interface Recorded {
  transcript: readonly string[];
  refusals: readonly Refusal[];
  /** Files that were built twice. */
  twice: { same: readonly string[]; different: readonly string[] };
}

const FILE = join(root, 'test', 'release', 'recorded.json');

export const readRecorded = (): Recorded => JSON.parse(readFileSync(FILE, 'utf8')) as Recorded;

export const writeRecorded = (recorded: Recorded): void => writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`);

/** Where a rehearsal was otherwise than the docs say. Seconds and digests are of one run, and are not compared. */
export function differences(now: Omit<Recorded, 'transcript'>, before: Omit<Recorded, 'transcript'>): string[] {
  const newly = now.twice.different.filter((part) => !before.twice.different.includes(part));
  return [
    ...refusedOtherwise(now.refusals, before.refusals),
    ...newly.map((part) => `${part} differs where it is built twice, and the docs do not say so`),
  ];
}

function refusedOtherwise(played: readonly Refusal[], recorded: readonly Refusal[]): string[] {
  const text = (refusals: readonly Refusal[], what: string): string =>
    refusals.find((each) => each.what === what)?.words.join('\n') ?? 'not played';
  const cases = new Set([...recorded, ...played].map(({ what }) => what));
  return [...cases].flatMap((what) => {
    const [before, now] = [text(recorded, what), text(played, what)];
    return before === now ? [] : [`${what}: the docs say\n${before}\nand it was refused by\n${now}`];
  });
}

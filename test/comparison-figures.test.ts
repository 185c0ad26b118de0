import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const docs = join(import.meta.dirname, '../docs');
const page = readFileSync(join(docs, 'comparison.md'), 'utf8').replaceAll('\n', ' ');
/** Generated from test/study/results.json, which another test holds it to. */
const study = readFileSync(join(docs, 'study.md'), 'utf8');

/** A cell of a table of the study: of the first table after this text with the column, in the row that begins so. */
function cell(after: string, row: string, column: string): string {
  const lines = study.slice(study.indexOf(after) + after.length).split('\n');
  const cellsOf = (line = '') => line.slice(2, -2).split(' | ');
  const head = lines.findIndex((line) => line.startsWith('|') && cellsOf(line).includes(column));
  const found = lines.slice(head).find((line) => line.startsWith(`| ${row}`));
  const text = cellsOf(found)[cellsOf(lines[head]).indexOf(column)];
  if (!study.includes(after) || head === -1 || text === undefined)
    throw new Error(`docs/study.md has no cell ${after} / ${row} / ${column}`);
  return text;
}

const AS_GOOD = 'as good as the primary';
const sharesOfGood = (decider: string) => cell('Versions that are **as good as the primary**', '0.05%', decider).replace(/^0%$/, 'none');
const breaks = (row: string, column: string) => cell('## What breaks it', row, column);

/** `7 min (95%)`, as a sentence says it. */
function rollbackOf(decider: string): string {
  const text = cell('0.05% → 0.5%, linear:', '100 ', decider);
  const [, minutes, share] = /^(\d+) min(?: \((.+)\))?$/.exec(text) ?? [];
  if (minutes === undefined) return 'never rolled it back';
  return `did so after ${minutes} minutes${share === undefined ? '' : ` in ${share} of the releases`}`;
}

/** The worst of all cells, of windows of a minute and of shorter ones: `0.5% of 200`. */
function worstCell(): { share: string; every: string } {
  const cells = [...study.matchAll(/^\| the worst of [\d,]+ cells \| ([\d.]+)% of ([\d,]+): (.*) \|$/gm)];
  const [worst] = cells.toSorted(([, a], [, b]) => Number(b) - Number(a));
  const [, percent, of, name = ''] = worst ?? [];
  return { share: `${percent}% of ${of}`, every: /, (\d+ s(?:, scraped each \d+ s)?)$/.exec(name)?.[1] ?? 'minute' };
}

/** Sentences of docs/comparison.md; `{}` is replaced by a figure of the study. */
const SENTENCES: readonly { says: string; figures: () => readonly string[] }[] = [
  {
    says: "at 100 requests a second: Flagger's rule with a limit of 99% {}, the comparison {}.",
    figures: () => [rollbackOf('Flagger'), rollbackOf('Serin')],
  },
  {
    says: "Flagger's rule rolled back {}, a statistical test that runs each minute {}, the comparison {}.",
    figures: () => [sharesOfGood('Flagger'), sharesOfGood('fixed test, peeked'), sharesOfGood('Serin')],
  },
  {
    says: 'In the worst cell of the study, with counts read every {}, it was {}.',
    figures: () => [worstCell().every, worstCell().share],
  },
  {
    says: 'With such a user the study rolled back {} of the good versions.',
    figures: () => [breaks('one user whose requests always fail', AS_GOOD)],
  },
  {
    says: 'The test cannot allow for it then: {} of the good versions were rolled back, and {} of those just at the limit.',
    figures: () => [breaks('pods differ as above', AS_GOOD), breaks('pods differ as above', '1.5 times worse')],
  },
];

describe('figures of docs/comparison.md are those of docs/study.md', () => {
  it.each(SENTENCES)('$says', ({ says, figures }) => {
    const words = says.split('{}').map((text) => text.replaceAll('.', String.raw`\.`));
    const pattern = new RegExp(`${words.join('.+?')}(?= |$)`);
    const written = pattern.exec(page)?.[0];
    expect(written, 'docs/comparison.md has a sentence like this').toBeDefined();
    const left = [...figures()];
    expect(written, 'this sentence of docs/comparison.md has other figures than docs/study.md').toBe(
      says.replaceAll('{}', () => left.shift() ?? ''),
    );
  });
});

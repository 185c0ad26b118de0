import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const docs = join(import.meta.dirname, '..', 'docs');
const page = readFileSync(join(docs, 'threat-model.md'), 'utf8');
const picture = readFileSync(join(docs, 'threat-model', 'picture.svg'), 'utf8');

const [, table = ''] = page.split('## Who attacks');
const rows = (table.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
/** Boxes of attackers in the picture: the text after each. */
const drawn = [...picture.matchAll(/<rect class="who"[^>]*\/><text[^>]*>([^<]+)</g)].map(([, name]) => name ?? '');

it('the picture of the threat model has the attackers of its table', () => {
  expect(drawn.toSorted()).toEqual(rows.map(([who = '']) => who).toSorted());
  expect(drawn).toHaveLength(7);
});

it.each(rows)('%s: the table says what it holds, can, cannot, and by what it is held', (...cells) => {
  expect(cells).toHaveLength(5);
  expect(cells.filter((cell) => cell === '')).toEqual([]);
});

it('security.md leads to the threat model', () => {
  expect(readFileSync(join(docs, 'security.md'), 'utf8')).toContain('](threat-model.md)');
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conformanceOf } from '../scripts/conformance/conformance.ts';
import { planeTable } from '../scripts/conformance/planes.ts';
import { readRowPages } from '../scripts/conformance/row-pages.ts';
import { citedRules } from '../scripts/rules/citations.ts';
import { shownInOrder } from '../scripts/rules/shown.ts';

const root = join(import.meta.dirname, '..');

describe('the rules that a text cites', () => {
  it.each([
    { title: '03-W12, B28: a label', rows: ['03-W12', '03-B28'] },
    { title: '03-W26–W28, CT20: terms', rows: ['03-W26', '03-W27', '03-W28', '03-CT20'] },
    { title: '06-LT42 06-LT44: run once', rows: ['06-LT42', '06-LT44'] },
    { title: 'E50: asks no gate again (03-H6)', rows: ['03-H6'] },
    { title: 'E4: never rolls back (02-15.1.3, 03-B33, L1, I5)', rows: ['02-15.1.3', '03-B33', '03-L1'] },
    { title: '05-W11, 04-R-O1: see the canary', rows: ['05-W11', '04-R-O1'] },
    { title: '05-E1, E2: a rule of a page beside one of the engine', rows: ['05-E1'] },
    { title: '03-W59d: a part of a rule', rows: ['03-W59'] },
    { title: '04-4.15, 04-4.4 and DF30: sections', rows: ['04-4.15', '04-4.4'] },
    { title: 'at 2026-01-02T03:04:05Z, in 2026-01-15', rows: [] },
    { title: 'E11, I4: a rule of the engine (A1)', rows: [] },
  ])('$title', ({ title, rows }) => expect(citedRules(title)).toEqual(rows));
});

const shown = shownInOrder(root);

describe('the rules that tests show', () => {
  it.each([
    { what: 'a title', file: 'src/routers/services.test.ts', row: '03-SV5' },
    { what: 'the note of a golden case', file: 'test/golden/istio/idle.input.yaml', row: '04-V1' },
    { what: 'the row of a table', file: 'test/scenarios/steered-releases.ts', row: '07-S7' },
  ])('are read from $what', ({ file, row }) => {
    expect(shown.filter((test) => test.file === file).flatMap(({ rules }) => rules)).toContain(row);
  });
});

describe('docs/conformance.md', () => {
  const page = {
    number: '03',
    name: '03-things',
    title: 'Things',
    defects: ['B1'],
    differs: { releases: ['W2'] },
    absent: { W3: 'nothing' },
  };
  const notApplicable = { W5: 'a fact of history' };
  const rows = { W1: 'one', W2: 'two', W3: 'three', W4: 'four', W5: 'six', B1: 'five' };
  const tests = [
    { file: 'a.test.ts', rules: ['03-W1', '03-W2', '03-B1'] },
    { file: 'b.test.ts', rules: ['03-W9'] },
  ];

  it('says same, different, absent, not applicable or unnumbered of each row, and which tests have a row that does not exist', () => {
    const { text, faults, unnumbered } = conformanceOf([{ ...page, rows, notApplicable }], tests);
    expect(text.split('\n').filter((line) => /^\| \[?[WB]\d/.test(line))).toEqual([
      '| [W1](rules/03-things.md#w1) | one | same | `a.test.ts` |',
      '| [W2](rules/03-things.md#w2) | two | [different](differences.md#releases) | `a.test.ts` |',
      '| W3 | three | absent; nothing |  |',
      '| W4 | four | unnumbered |  |',
      '| W5 | six | not applicable; a fact of history |  |',
      '| [B1](rules/03-things.md#b1) | five | different | `a.test.ts` |',
    ]);
    expect(text).toContain('| [03 Things](#03-things) | 1 | 2 | 1 | 1 | 1 |');
    expect(faults).toEqual(['b.test.ts has the row 03-W9, which does not exist']);
    expect(unnumbered).toEqual(['03-W4']);
  });

  it.each([
    {
      what: 'a row that is none',
      lists: { notApplicable: { W6: 'a fact of history' } },
      fault: 'not applicable: the row 03-W6 is none',
    },
    {
      what: 'a row that a test shows after all',
      lists: { notApplicable: { W1: 'a fact of history' } },
      fault: '03-W1 is listed as absent or not applicable, but a.test.ts shows it',
    },
    {
      what: 'an absent row that a test shows',
      lists: { absent: { W2: 'nothing' } },
      fault: '03-W2 is listed as absent or not applicable, but a.test.ts shows it',
    },
    {
      what: 'a row in both lists',
      lists: { notApplicable: { W3: 'a fact of history' } },
      fault: '03-W3 is listed as absent and as not applicable',
    },
    { what: 'a defect that has no row', lists: { defects: ['B9'] }, fault: 'defects: the row 03-B9 is none' },
  ])('does not take $what', ({ lists, fault }) => {
    const known = tests.filter(({ file }) => file === 'a.test.ts');
    expect(conformanceOf([{ ...page, rows, notApplicable, ...lists }], known).faults).toEqual([fault]);
  });

  it('leads to sections of docs/differences.md that there are', () => {
    const text = readFileSync(join(root, 'docs', 'differences.md'), 'utf8');
    const anchors = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 ]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const { differs } of readRowPages()) expect(anchors).toEqual(expect.arrayContaining(Object.keys(differs)));
  });

  it('every test of this repository has rows that exist, and no list says otherwise than the tests', () => {
    expect(conformanceOf(readRowPages(), shown).faults).toEqual([]);
  });

  it('accounts for every row: a test shows it, or the row gives the reason for a missing test', () => {
    const { unnumbered } = conformanceOf(readRowPages(), shown);
    expect(unnumbered).toEqual([]);
  });
});

describe('the table of real data planes', () => {
  const rows = [
    { file: 'istio', provider: 'istio', programs: { istiod: 'envoy' } },
    { file: 'istio-gateway', provider: 'a gateway', programs: {} },
  ] as const;
  const sources = [
    { file: 'istio.test.ts', text: 'describeShares([istio]); describeKills(start);' },
    { file: 'istio-gateway.test.ts', text: 'describeReleases(start)' },
  ];
  const versionOf = () => '1.2.3';

  it('says what the tests of each plane call', () => {
    const { text, faults } = planeTable(rows, sources, versionOf);
    expect(text.split('\n').slice(2)).toEqual([
      '| istio | istiod 1.2.3 | `kill -9` of the controller; shares of 2,000 requests at each weight | `istio.test.ts` |',
      '| a gateway |  | promotion, rollback and deletion with users who never stop | `istio-gateway.test.ts` |',
    ]);
    expect(faults).toEqual([]);
  });

  it('names tests without a row, rows without a test, and calls without words', () => {
    const others = [
      { file: 'kuma.test.ts', text: '' },
      { file: 'istio.test.ts', text: 'describeOddities(x)' },
    ];
    expect(planeTable(rows, others, versionOf).faults).toEqual([
      'test/planes/kuma.test.ts belongs to no row of PLANES',
      'test/planes/istio: PLAYED has no words for describeOddities',
      'a gateway has no test in test/planes',
    ]);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineSections } from '../../scripts/rules/engine-sections.ts';
import { states } from './states/index.ts';

const root = join(import.meta.dirname, '..', '..');
const ID = /[EDIL]\d+[a-z]?/g;
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

const sections = engineSections();
const rules = sections.flatMap((section) => section.rules);
/** The rules of SPEC.md, and the invariants, whose table is in docs/internals.md. */
const known = [...rules, ...[...read('../../docs/internals.md').matchAll(/^\| (I\d+) \|/gm)].flatMap(([, invariant]) => invariant ?? [])];

/** Rules that open the title of a test in a text. */
const titledIn = (text: string): string[] =>
  [...text.matchAll(/['"`]((?:[EDIL]\d+[a-z]?, )*[EDIL]\d+[a-z]?)(?:, [^:'"`\n]*)?: /g)].flatMap(([, ids = '']) => ids.match(ID) ?? []);
const titled = ['src', 'test']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(root, folder, file)))
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => titledIn(readFileSync(file, 'utf8')));

/** Rules that the comments of a file name. */
function namedIn(path: string): string[] {
  const comments = read(path).match(/\/\*\*[\s\S]*?\*\/|\/\/.*/g) ?? [];
  return comments.flatMap((comment) => comment.match(/(?<![\w-])[ED]\d+[a-z]?\b/g) ?? []);
}

/** The file of each state, as `states/index.ts` imports it. */
const index = read('states/index.ts');
const imported = new Map(
  [...index.matchAll(/^import \{ ([^}]+) \} from '\.\/([\w-]+)\.ts';/gm)].flatMap(([, names = '', file = '']) =>
    names.split(', ').map((name): [string, string] => [name, file]),
  ),
);
const fileOf = (state: string): string | undefined =>
  imported.get(new RegExp(`^ {2}'?${state.replaceAll('.', '\\.')}'?: (\\w+)`, 'm').exec(index)?.[1] ?? '');

describe('SPEC.md', () => {
  it('each rule is listed once', () => {
    expect(rules.length).toBeGreaterThan(100);
    expect(rules.filter((rule, position) => rules.indexOf(rule) !== position)).toEqual([]);
  });

  it('each rule opens the title of a test', () => {
    expect(known.filter((one) => !titled.includes(one))).toEqual([]);
  });

  it('each rule that opens a title is in a table', () => {
    expect([...new Set(titled)].filter((one) => !known.includes(one))).toEqual([]);
  });

  it('each file of states has a section of its own, in the order of the chart, which names its states', () => {
    const names = Object.keys(states);
    const ofStates = sections.filter((section) => section.states.length > 0);
    expect(ofStates.map(({ name }) => name)).toEqual([...new Set(names.map(fileOf))]);
    for (const { name, states: places } of ofStates) {
      const within = names.filter((state) => places.some((place) => state === place || state.startsWith(`${place}.`)));
      expect(within, name).toEqual(names.filter((state) => fileOf(state) === name));
    }
  });

  it.each(sections)('$name: its files and tests are there, and each of its rules opens a title in one of these tests', (section) => {
    const { files, tests, rules: own, states: places, name } = section;
    expect([...files, ...tests].filter((path) => !existsSync(join(import.meta.dirname, path)))).toEqual([]);
    if (places.length > 0) expect([files, tests[0]]).toEqual([[`states/${name}.ts`], `states/${name}.test.ts`]);
    const shown = tests.flatMap((path) => titledIn(read(path)));
    expect(own.filter((rule) => !shown.includes(rule))).toEqual([]);
  });

  it.each(
    sections
      .flatMap(({ files, rules: own, also }) => files.map((file) => ({ file, own, also })))
      .filter(({ file }) => file.startsWith('states/')),
  )('$file names the rules of its section, and no others', ({ file, own, also }) => {
    expect([...new Set(namedIn(file))].toSorted()).toEqual([...own, ...also].toSorted());
  });
});

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importGraph } from '../scripts/import-graph.ts';

const root = join(import.meta.dirname, '..');

/** Names that two files of src export, each with the reason for which they mean one thing. */
const SHARED: Readonly<Record<string, string>> = {
  isRecord: 'the same test of JSON; the embedded API server narrows to its own JSON type',
  knative: 'Knative as a plug-in of two ports: of routers and of workloads',
};

/** Words that had several meanings, each with the only file that declares it. The field `look` of a code is a command that shows more. */
const WORDS: Readonly<Record<string, string | undefined>> = {
  Answer: 'src/engine/questions.ts',
  Side: 'src/metrics/counter-query.ts',
  Verdict: 'src/api/canary-status.ts',
  ...{ Change: undefined, Look: undefined, Source: undefined, answer: undefined, judge: undefined, look: undefined },
};

const DECLARATION = /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|type|interface|class) (\w+)/gm;

/** Plug-ins of one port have the same words for its verbs: `routers/istio/…` and `routers/nginx/…` both have `render`. */
const portOf = (file: string): string => /^src\/(routers|workloads)\/[^/]+\//.exec(file)?.[1] ?? file;

/** The files that declare each exported name; a schema and its type are one declaration. */
function declarationsIn(files: readonly string[], read: (file: string) => string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files)
    for (const name of new Set([...read(file).matchAll(DECLARATION)].flatMap(([, one = '']) => one)))
      found.set(name, [...(found.get(name) ?? []), file]);
  return found;
}

/** Names with more than one declaration, which are not the verbs of one port. */
const repeatedIn = (files: readonly string[], read: (file: string) => string): Map<string, string[]> =>
  new Map([...declarationsIn(files, read)].filter(([, places]) => new Set(places.map(portOf)).size > 1));

const sources = importGraph(root, ['src']).files.filter((file) => file.startsWith('src/') && !/\.test\.tsx?$/.test(file));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const repeated = repeatedIn(sources, textOf);

it('an exported name of src has one declaration, or SHARED gives the reason for which both mean the same', () => {
  expect(sources.length).toBeGreaterThan(1_000);
  const unexplained = [...repeated].filter(([name]) => !Object.hasOwn(SHARED, name));
  expect(unexplained.map(([name, files]) => `${name}: ${files.join(', ')}`).toSorted()).toEqual([]);
});

it('SHARED lists only names with two declarations', () => {
  expect(Object.keys(SHARED).filter((name) => !repeated.has(name))).toEqual([]);
});

const skeletons = globSync('scripts/new/skeletons/**/*.ts.txt', { cwd: root });

it('a word of WORDS is declared only in its file, exported or not, and by no skeleton of npm run new: a local type with another meaning would mislead as well', () => {
  expect(skeletons.length).toBeGreaterThan(5);
  const declaring = (word: string): string[] => {
    const declaration = new RegExp(`^(?:export )?(?:async )?(?:const|function|type|interface|class) ${word}\\b`, 'm');
    return [...sources, ...skeletons].filter((file) => declaration.test(textOf(file)));
  };
  for (const [word, file] of Object.entries(WORDS)) expect([word, declaring(word)]).toEqual([word, file === undefined ? [] : [file]]);
});

it('a name in two rooms is found, and the same verb in two plug-ins of a port is not', () => {
  const texts: Record<string, string> = {
    'src/engine/a.ts': 'export const Step = 1;\nexport type Step = number;\nexport function render(): void {}',
    'src/rehearsal/b.ts': 'export interface Step {}',
    'src/routers/istio/a.ts': 'export async function read() {}',
    'src/routers/nginx/a.ts': 'export const read = 1;',
  };
  const found = repeatedIn(Object.keys(texts), (file) => texts[file] ?? '');
  expect([...found]).toEqual([['Step', ['src/engine/a.ts', 'src/rehearsal/b.ts']]]);
});

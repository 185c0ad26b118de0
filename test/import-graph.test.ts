import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importGraph, importsIn } from '../scripts/import-graph.ts';

/** The files of a small repository. Imports are put together, so that the graph of this repository does not have them. */
const from = (path: string) => `fr${'om'} '${path}'`;
const files = {
  'src/main.ts': `import { a } ${from('./a.ts')};\nimport type { T } ${from('./types.ts')};\nconst late = () => im${'port'}('./late.ts');\n`,
  'src/a.ts': `export * ${from('./b.ts')};\nimport table ${from('./table.json')} with { type: 'json' };\n`,
  'src/b.ts': `import {\n  // why\n  main,\n} ${from('./main.ts')};\n`,
  'src/late.ts': '',
  'src/types.ts': '',
  'src/page/main.tsx': `import '${'./'}setup.ts';\n`,
  'src/page/setup.ts': '',
  'src/table.json': '{}',
  'test/main.test.ts': `import { main } ${from('../src/main.ts')};\n`,
  'test/gone.test.ts': `import { gone } ${from('../src/gone.ts')};\n`,
  'scripts/run.ts': '',
  'site/page.ts': `import { main } ${from('../src/main.ts')};\n`,
};
const root = mkdtempSync(join(tmpdir(), 'import-graph-'));

beforeAll(() => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

describe('imports in a file', () => {
  it.each([
    { text: `import { a } ${from('./a.ts')};`, kind: 'load', is: 'src/room/a.ts' },
    { text: `import a, { type B } ${from('../a.ts')};`, kind: 'load', is: 'src/a.ts' },
    { text: `import a ${from('./a.json')} with { type: 'json' };`, kind: 'load', is: 'src/room/a.json' },
    { text: `export { a } ${from('./a.ts')};`, kind: 'load', is: 'src/room/a.ts' },
    { text: `export type A = string;\nimport { a } ${from('./a.ts')};`, kind: 'load', is: 'src/room/a.ts' },
    { text: `import '${'./'}a.ts';`, kind: 'load', is: 'src/room/a.ts' },
    { text: `import type { A } ${from('./a.ts')};`, kind: 'type', is: 'src/room/a.ts' },
    { text: `export type {\n  A,\n} ${from('./a.ts')};`, kind: 'type', is: 'src/room/a.ts' },
    { text: `await im${'port'}('./a.ts')`, kind: 'lazy', is: 'src/room/a.ts' },
    { text: `vi.mo${'ck'}('./a.ts', async () => ({}))`, kind: 'lazy', is: 'src/room/a.ts' },
    { text: `vi.import${'Actual'}<typeof A>('./a.ts')`, kind: 'lazy', is: 'src/room/a.ts' },
    { text: `new U${'RL'}('../docs/a.md', import.meta.url)`, kind: 'path', is: 'src/docs/a.md' },
    { text: `jo${'in'}(import.meta.dirname, '..', 'other', "a.ts")`, kind: 'path', is: 'src/other/a.ts' },
  ])('are found: $text', ({ text, kind, is }) => {
    expect(importsIn(text, 'src/room/file.ts')).toEqual([{ kind, file: is }]);
  });

  it.each([
    `import { a } fr${'om'} 'zod';`,
    `jo${'in'}(import.meta.dirname, '..', 'docs')`,
    `jo${'in'}(import.meta.dirname, name, 'a.ts')`,
    `im${'port'}(\`./\${name}\`)`,
  ])('are no packages, folders or names that are put together: %s', (text) => {
    expect(importsIn(text, 'src/room/file.ts')).toEqual([]);
  });
});

describe('the graph of imports', () => {
  it('has the files of src, test and scripts', () => {
    const sources = Object.keys(files).filter((file) => !file.startsWith('site/') && !file.endsWith('.json'));
    expect(importGraph(root).files.toSorted()).toEqual(sources.toSorted());
  });

  it('finds all that a file imports, with the steps to each, through loops and without types', () => {
    expect(Object.fromEntries(importGraph(root).reachedFrom(['src/main.ts']))).toEqual({
      'src/main.ts': 0,
      'src/a.ts': 1,
      'src/late.ts': 1,
      'src/b.ts': 2,
      'src/table.json': 2,
    });
  });

  it('leaves out modules that can be loaded late, on request', () => {
    const { reachedFrom, importsOf } = importGraph(root);
    expect(reachedFrom(['src/main.ts'], ['load']).has('src/late.ts')).toBe(false);
    expect(importsOf('src/main.ts', ['type'])).toEqual(['src/types.ts']);
  });

  it('finds all that import a file, nearest first', () => {
    const { importersOf } = importGraph(root);
    expect([...importersOf(['src/table.json'])]).toEqual([
      ['src/table.json', 0],
      ['src/a.ts', 1],
      ['src/main.ts', 2],
      ['src/b.ts', 3],
      ['test/main.test.ts', 3],
    ]);
    expect([...importersOf(['src/page/setup.ts'])]).toContainEqual(['src/page/main.tsx', 1]);
  });

  it('finds what imported a file that was deleted', () => {
    expect([...importGraph(root).importersOf(['src/gone.ts']).keys()]).toEqual(['src/gone.ts', 'test/gone.test.ts']);
  });
});

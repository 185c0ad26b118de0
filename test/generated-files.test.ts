import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, generatedPatterns, hasHeader } from '../scripts/generated-files.ts';

const root = join(import.meta.dirname, '..');
const patterns = generatedPatterns(root);
const listed = patterns.flatMap((pattern) => filesOf(pattern, root));
const textOf = (path: string): string => readFileSync(path, 'utf8');
const shown = (paths: readonly string[]): string[] => paths.map((path) => relative(root, path)).toSorted();

/** Whole files are generated where the first line says so; others have a generated part. */
const isWholeFile = (path: string): boolean => {
  const [first = ''] = textOf(path).split('\n', 1);
  return hasHeader(first) && first.includes('Do not edit.');
};

describe('generated files', () => {
  it('are listed in .gitattributes by patterns that each mean a file, and no file twice', () => {
    expect(patterns.filter((pattern) => filesOf(pattern, root).length === 0)).toEqual([]);
    expect(shown(listed)).toEqual(shown([...new Set(listed)]));
  });

  it('with a header in their first line are also listed', () => {
    const folders = ['.github', 'charts', 'docs', 'kustomize', 'examples'];
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    const whole = files.filter(isWholeFile);
    expect(whole.length).toBeGreaterThan(50);
    expect(shown(whole.filter((path) => !listed.includes(path)))).toEqual([]);
  });

  it('have a header, but for JSON, which has no comments', () => {
    expect(shown(listed.filter((path) => !path.endsWith('.json') && !hasHeader(textOf(path))))).toEqual([]);
  });

  it('are committed once: no two of them are the same', () => {
    const byText = Map.groupBy(listed, textOf);
    expect([...byText.values()].filter((same) => same.length > 1).map(shown)).toEqual([]);
  });
});

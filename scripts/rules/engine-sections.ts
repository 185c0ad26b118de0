import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of the rules of the engine, with the files that hold them. */
export interface Section {
  /** Its heading, which is the name of the file for the states. */
  name: string;
  /** States, or states with others inside, whose file it is about; none for rules of the chart as a whole. */
  states: readonly string[];
  /** Files and tests that it links to, from `src/engine`. */
  files: readonly string[];
  tests: readonly string[];
  /** Rules in its table, and rules of other sections that its file also follows. */
  rules: readonly string[];
  also: readonly string[];
}

export const engineFolder = join(import.meta.dirname, '..', '..', 'src', 'engine');
const ID = /[EDIL]\d+[a-z]?/g;

/** The sections of the engine's SPEC.md, in its order. */
export function engineSections(): Section[] {
  return readFileSync(join(engineFolder, 'SPEC.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const words = text.split('\n').filter((line) => !line.startsWith('|'));
      const links = [...words.join('\n').matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path);
      return {
        name: words[0] ?? '',
        states: words
          .filter((line) => line.startsWith('State'))
          .flatMap((line) => [...line.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)),
        files: links.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts')),
        tests: links.filter((path) => path.endsWith('.test.ts')),
        rules: [...text.matchAll(/^\| ([EDL]\d[^|]*) \|/gm)].flatMap(([, cell = '']) => cell.match(ID) ?? []),
        also: words.flatMap((line) => /\bAlso ((?:[ED]\d+[a-z]?(?:, )?)+)\.$/.exec(line)?.[1]?.match(ID) ?? []),
      };
    });
}

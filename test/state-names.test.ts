import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { states } from '../src/engine/states/index.ts';

/**
 * A state is one file. Its name, by which the chart and the status find it, is in few other files. All other code calls `src/api/step.ts`, or reads a property
 * of the state.
 */
const MOST_FILES = 4;
/** Names that are words of other things as well count with the step or phase before them only. */
const OTHER_WORDS: Readonly<Record<string, string>> = { gate: '(?:Waiting|preRollout)\\.gate', hooks: 'preRollout\\.hooks' };

const src = join(import.meta.dirname, '..', 'src');
const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }));

/** Steps and their parts; phases are Flagger's, and everybody's. */
const names = [...new Set(Object.keys(states).flatMap((name) => name.split('.').slice(1)))].toSorted();

/** Quoted, as a part of a dotted name, or as a key. */
function namePattern(name: string): RegExp {
  const own = OTHER_WORDS[name];
  return new RegExp(own ?? `['"\`.}|]${name}(?:['"\`]|\\.\\w|\\.?\\$\\{)|(?:^ *|\\{ )${name}: `, 'm');
}

it('names of steps are found, also in templates and as keys, and other words are not', () => {
  const found = (text: string) => namePattern('resting').test(text);
  const names = ["step === 'resting'", "go('Failed.resting', 'x')", `go(\`\${phase}.resting\`)`, '  resting: {'];
  expect(names.filter((text) => !found(text))).toEqual([]);
  expect(['resting.ts', 'isResting(release)', 'a resting target', './states/resting.ts'].filter(found)).toEqual([]);
});

it.each(names)('the name of %s is in four files at most', (name) => {
  const pattern = namePattern(name);
  const files = texts.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
  expect(files.length > MOST_FILES ? files : []).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

/** The rules that each test shows, by its file and title. */
export const SHOWN = 'test/rules.yaml';
const Shown = z.record(z.string(), z.record(z.string(), z.array(z.string().regex(/^0[1-7]-[A-Z\d][\w.-]*$/)).min(1)));

/** A test, or a row of a table of tests, with the rules that it shows, each as `03-W12`. */
export interface ShownRules {
  /** From the root of the repository. */
  readonly file: string;
  readonly title: string;
  readonly rules: readonly string[];
}

export const readShown = (root: string): ShownRules[] =>
  Object.entries(Shown.parse(parse(readFileSync(join(root, SHOWN), 'utf8')))).flatMap(([file, titles]) =>
    Object.entries(titles).map(([title, rules]) => ({ file, title, rules })),
  );

/** Every row of `SHOWN`: files by name, those of golden cases last. */
export const shownInOrder = (root: string): ShownRules[] =>
  readShown(root).toSorted((a, b) => Number(isGolden(a)) - Number(isGolden(b)) || (a.file < b.file ? -1 : Number(a.file > b.file)));

const isGolden = ({ file }: ShownRules): boolean => file.startsWith('test/golden/');

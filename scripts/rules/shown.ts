import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { TestTitle } from '../conformance/test-titles.ts';
import { citedRules } from './citations.ts';

/** The rules that each test shows, by its file and title. */
export const SHOWN = 'test/rules.yaml';
const Shown = z.record(z.string(), z.record(z.string(), z.array(z.string().regex(/^0[1-7]-[A-Z\d][\w.-]*$/)).min(1)));

/** A test, or a row of a table of tests, with the rules that it shows, each as `03-W12`. */
export interface ShownRules extends TestTitle {
  readonly rules: readonly string[];
}

export const readShown = (root: string): ShownRules[] =>
  Object.entries(Shown.parse(parse(readFileSync(join(root, SHOWN), 'utf8')))).flatMap(([file, titles]) =>
    Object.entries(titles).map(([title, rules]) => ({ file, title, rules })),
  );

/** True for the field of a row in a table of tests that has only ids: `row: '06-HC1'`. */
export const isRuleField = (literal: string): boolean =>
  literal.split(/, | /).every((item) => ID.test(item)) && citedRules(literal).length > 0;
const ID = /^(?:0[1-7]-)?[A-Z\d][\w.–-]*$/;

/** Every row of `SHOWN`, and every field of a table that has ids: files by name, those of golden cases last. */
export const allShown = (root: string, titles: readonly TestTitle[]): ShownRules[] =>
  [
    ...readShown(root),
    ...titles.filter(({ title }) => isRuleField(title)).map(({ file, title }) => ({ file, title, rules: citedRules(title) })),
  ].toSorted((a, b) => Number(isGolden(a)) - Number(isGolden(b)) || (a.file < b.file ? -1 : Number(a.file > b.file)));

const isGolden = ({ file }: TestTitle): boolean => file.startsWith('test/golden/');

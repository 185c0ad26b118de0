import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { citedRules } from '../scripts/rules/citations.ts';
import { ownRules, RULES, statedRules } from '../scripts/rules/rules.ts';
import { readShown, SHOWN } from '../scripts/rules/shown.ts';
import { titlesOfTests } from './fakes/test-titles.ts';

const root = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'test', 'docs', 'scripts', 'charts', 'kustomize', 'examples'];
const TEXT = /\.(?:ts|mjs|md|ya?ml|tpl)$/;
/** Pages that state rules or are made from titles, and tests whose citations are examples. */
const LEFT_OUT = [`${RULES}/`, 'docs/conformance.md', 'scripts/conformance/', 'test/conformance.test.ts', 'test/rules.test.ts'];
const OWN = /(?<![\w./:@#$"=-])(?:[EDI]\d{1,3}[a-c]?|DF\d+)(?![\w./])/g;
/** Forms that were in use once. */
const ODD = /\b0[1-7]-[A-Z]{1,2}:|(?<![\w.:-])0[1-7] (?:§ ?\d|(?:[A-Z]-)?[A-Z]{1,2}\d+\b)|\breference[ /]0[1-7]\b|§/;

const lines = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((file) => TEXT.test(file) && !LEFT_OUT.some((start) => file.startsWith(start))),
).flatMap((file) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((text, index) => ({ text, at: `${file}:${index + 1}` })),
);
/** Code that explains the form of ids, by examples. */
const EXPLAINS = 'scripts/rules/';
const COMMENTED = /^(?!docs\/).*\.(?:ts|mjs|ya?ml|tpl):\d+$/;
const COMMENT = /(?:\/[/*]|^\s*\*|(?:^|\s)#).*/;
const cited = lines.flatMap(({ text, at }) => citedRules(text).map((rule) => ({ rule, at })));
const stated = statedRules(root);

it('every rule that is cited is stated in docs/rules', () => {
  const known = new Set(stated.map(({ rule }) => rule));
  const missing = cited
    .filter(({ rule }) => !known.has(rule))
    .map(({ rule, at }) => `${at}: ${rule} is not stated: correct the id, or add a row to ${RULES}/${rule.slice(0, 2)}-*.md`);
  expect(missing).toEqual([]);
});

it('every rule of docs/rules is shown by a test, or named by a page', () => {
  const used = new Set(cited.map(({ rule }) => rule));
  const idle = stated
    .filter(({ rule }) => !used.has(rule))
    .map(({ rule, page }) => `${page}: ${rule} is not shown: list a test that shows it in ${SHOWN}, or remove its row`);
  expect(idle).toEqual([]);
});

it('every rule of the engine, invariant and difference that is named is stated', () => {
  const known = ownRules(root);
  const missing = lines.flatMap(({ text, at }) =>
    [...text.matchAll(OWN)]
      .map(([id]) => id)
      .filter((id) => !known.has(id))
      .map((id) => `${at}: ${id} is not stated: correct the id, or see ${RULES}/README.md for the page that states it`),
  );
  expect(missing).toEqual([]);
});

const titles = titlesOfTests(root).filter(({ file }) => !LEFT_OUT.includes(file));

it(`every title of ${SHOWN} is the title of a test`, () => {
  const known = new Set(titles.map(({ file, title }) => `${file}: ${title}`));
  const unknown = readShown(root).map(({ file, title }) => `${file}: ${title}`);
  expect(unknown.filter((title) => !known.has(title)).map((title) => `${title}: no test has this title: correct ${SHOWN}`)).toEqual([]);
});

it(`no title, and no field of a table of tests, has the id of a rule of ${RULES}`, () => {
  const withIds = titles.filter(({ title }) => citedRules(title).length > 0);
  expect(withIds.map(({ file, title }) => `${file}: move the ids to ${SHOWN}: ${title}`)).toEqual([]);
});

it(`no comment has the id of a rule of ${RULES}`, () => {
  const withIds = lines.filter(
    ({ text, at }) => COMMENTED.test(at) && !at.startsWith(EXPLAINS) && citedRules(COMMENT.exec(text)?.[0] ?? '').length > 0,
  );
  expect(withIds.map(({ text, at }) => `${at}: give the reason in words, and list the id in ${SHOWN}: ${text.trim()}`)).toEqual([]);
});

it('citations have one form', () => {
  const odd = lines.filter(({ text }) => ODD.test(text)).map(({ text, at }) => `${at}: write 03-W12 or 03-2.7: ${text.trim()}`);
  expect(odd).toEqual([]);
});

it('every rule is stated once, under the anchor of its id', () => {
  expect(stated.filter(({ rule }, index) => stated.findIndex((other) => other.rule === rule) !== index)).toEqual([]);
  for (const { rule, anchor } of stated) expect(anchor).toBe(rule.slice(3).toLowerCase());
});

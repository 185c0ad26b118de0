import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const rule = /[EDIL]\d+a?/g;

/** Rules in the first column of the tables of SPEC.md, and the invariants, whose table is in ARCHITECTURE.md. */
const known = [
  ...readFileSync(join(import.meta.dirname, 'SPEC.md'), 'utf8')
    .split('\n')
    .flatMap((line) => /^\| ([EDIL0-9a, ]+) \|/.exec(line)?.[1]?.match(rule) ?? []),
  ...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    .split('\n')
    .flatMap((line) => /^\| (I\d+) \|/.exec(line)?.[1] ?? []),
];

/** Rules that open the title of a test, in each room. */
const titled = ['src', 'test']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(root, folder, file)))
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/['"`]((?:[EDIL]\d+a?(?:, )?)+): /g)].map((found) => found[1] ?? ''))
  .flatMap((rules) => rules.match(rule) ?? []);

describe('SPEC.md', () => {
  it('each rule opens the title of a test', () => {
    expect(known.length).toBeGreaterThan(50);
    expect(known.filter((one) => !titled.includes(one))).toEqual([]);
  });

  it('each rule that opens a title is in the table', () => {
    expect([...new Set(titled)].filter((one) => !known.includes(one))).toEqual([]);
  });
});

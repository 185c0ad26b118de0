import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder whose pages state the rules, one page an area: `03-workloads.md`. */
export const RULES = 'docs/rules';
const ROW = /^\| <a id="([^"]+)"><\/a>([^ ]+) \|/gm;
const PAGE = /^0[1-7]-.+\.md$/;

/** Every rule, as `03-W12`, with its page from the root of the repository; a rule that a page states twice comes twice. */
export function statedRules(root: string): { rule: string; anchor: string; page: string }[] {
  return readdirSync(join(root, RULES))
    .filter((name) => PAGE.test(name))
    .toSorted()
    .flatMap((name) =>
      [...readFileSync(join(root, RULES, name), 'utf8').matchAll(ROW)].map(([, anchor = '', id]) => ({
        rule: `${name.slice(0, 2)}-${id}`,
        anchor,
        page: `${RULES}/${name}`,
      })),
    );
}

const ENGINE = 'src/engine/SPEC.md';
const INTERNALS = 'docs/internals.md';
const DIFFERENCES = 'docs/differences.md';

/** The ids without a page: rules and laws of the engine (E, D, L), invariants (I) and differences (DF), with the page that has their table. */
export function ownRules(root: string): ReadonlyMap<string, string> {
  const tables: readonly [string, RegExp][] = [
    [ENGINE, /[EDL]\d+[a-z]?/g],
    [INTERNALS, /I\d+/g],
    [DIFFERENCES, /DF\d+/g],
  ];
  return new Map(
    tables.flatMap(([page, id]) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/^\| ([A-Z]{1,2}\d[^|]*) \|/gm)]
        .flatMap(([, cell = '']) => cell.match(id) ?? [])
        .map((rule): [string, string] => [rule, page]),
    ),
  );
}

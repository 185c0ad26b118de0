import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kinds } from '../scripts/new/kinds.ts';
import { type KindName, planPlugin } from '../scripts/new/plan.ts';

const root = join(import.meta.dirname, '..');

/** Number of lines of `text` that `before` does not have, or has less often. */
function addedLines(text: string, before: string): number {
  const left = before.split('\n');
  return text.split('\n').filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  }).length;
}

/** Lines that name a new plug-in in files that are not its own. A line more is a table that its definition should fill. */
const OUTSIDE: Record<KindName, Readonly<Record<string, number>>> = {
  provider: { 'src/api/providers.ts': 1 },
  backend: { 'src/api/metric-template.ts': 1 },
  sink: { 'src/api/alert-provider.ts': 1 },
  verb: {
    'src/api/verb-definitions.ts': 1,
    'src/engine/verbs.ts': 1,
    'test/scenarios/verbs/table.ts': 1,
  },
  flag: { 'src/controller/flags.ts': 7 },
};

/** No plug-in has this name, as users may choose the name of the examples. */
const UNUSED = 'namethatnothinghas';

it.each(Object.keys(kinds))('npm run new -- %s names the new plug-in in the listed tables only', (kind) => {
  const { created, changed, next } = planPlugin(root, kind, UNUSED);
  const added = Object.entries(changed).map(([file, text]) => [file, addedLines(text, readFileSync(join(root, file), 'utf8'))]);
  expect(Object.fromEntries(added)).toEqual(OUTSIDE[kind as KindName]);
  for (const text of [...Object.values(created), ...next]) expect(text).not.toMatch(/NAME|TITLE/);
});

it.each<[string, string | undefined, string | undefined, string]>([
  ['no kind', undefined, undefined, 'the kind is missing: choose one of provider, backend, sink, verb, flag'],
  ['an unknown kind', 'mesh', 'acme', 'mesh is not a kind: choose one of provider, backend, sink, verb, flag'],
  ['no name', 'sink', undefined, 'the name is missing: use lower-case letters and digits, such as acme'],
  ['a path as name', 'sink', '../x', '"../x" is not a name: use lower-case letters and digits, such as acme'],
  ['a provider that exists', 'provider', 'istio', 'src/api/providers.ts names istio already: choose another name'],
  ['a provider in the folder of another one', 'provider', 'linkerd', 'src/api/providers.ts names linkerd already: choose another name'],
  ['a backend whose file exists', 'backend', 'backend', 'src/metrics/providers/backend.ts exists: choose another name, or delete it first'],
  ['a verb that exists', 'verb', 'undo', 'src/api/verb-definitions.ts names undo already: choose another name'],
  ['a flag that exists', 'flag', 'selector-labels', 'src/controller/flags.ts names selector-labels already: choose another name'],
])('npm run new refuses %s with its remedy', (_, kind, name, message) => {
  expect(() => planPlugin(root, kind, name)).toThrow(message);
});

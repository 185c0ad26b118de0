/** Writes docs/permissions.md from the tables beside the code that sends the requests; with `--check`, fails when the committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Permission } from '../src/api/permission.ts';
import { corePermissions, dashboardPermissions, switchedPermissions } from '../src/controller/permissions.ts';
import { leasePermissions } from '../src/kube/permissions.ts';
import { namedSecretPermissions, secretPermissions, takeOverPermissions } from '../src/workloads/permissions.ts';
import { rightOf, type VirtualVerb, virtualVerbs } from './admission/request-policy.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const path = join(import.meta.dirname, '..', 'docs', 'permissions.md');
const code = (text: string): string => `\`${text}\``;

function table(rows: readonly (readonly [string, readonly Permission[]])[]): string {
  const lines = rows.flatMap(([when, permissions]) =>
    permissions.map(({ group, resources, verbs, purpose }) => {
      const what = [group === '' ? 'core' : code(group), resources.map(code).join(', '), verbs.join(' '), purpose];
      return `| ${[when, ...what].join(' | ')} |`;
    }),
  );
  return ['| when | group | resources | verbs | for |', '|---|---|---|---|---|', ...lines].join('\n');
}

const usesOf = (right: VirtualVerb): string => {
  const verbs = Object.entries(rightOf).flatMap(([verb, needed]) => (needed === right ? [code(verb)] : []));
  return verbs.length > 0 ? verbs.join(', ') : `${code('promote')} where it approves what waits for its gate`;
};

const { providers, ...others } = switchedPermissions;
const rowsOf = (value: string, parts: Readonly<Record<string, readonly Permission[]>>) =>
  Object.entries(parts).map(([name, permissions]) => [`${code(value)} ${code(name)}`, permissions] as const);
const secretRows = [
  ...rowsOf('secrets.mode', secretPermissions),
  ...Object.entries(namedSecretPermissions).map(
    ([mode, { sources, takenOver, copies }]) =>
      [`${code('secrets.names')}, mode ${code(mode)}`, [...sources, ...takenOver, ...copies]] as const,
  ),
  [`${code('configTracking')} ${code('takeOver')}`, Object.values(takeOverPermissions)] as const,
];
/** Providers that need the same share a row. */
const byNeed = Map.groupBy(Object.entries(providers), ([, permissions]) => JSON.stringify(permissions));
const providerRows = [...byNeed.values()].map((same) => [same.map(([name]) => code(name)).join(' '), same[0]?.[1] ?? []] as const);

const parts = {
  always: table([['always', corePermissions]]),
  lease: table([['leader election', leasePermissions]]),
  switched: table([...Object.entries(others).flatMap(([value, parts]) => rowsOf(value, parts)), ...secretRows]),
  dashboard: table(rowsOf('dashboard', dashboardPermissions)),
  providers: table(providerRows),
  verbs: `| verb | for |
|---|---|
${virtualVerbs.map((verb) => `| ${code(verb)} | ${usesOf(verb)} |`).join('\n')}`,
};

export const generate: Generate = () => [
  { path, text: withParts(readFileSync(path, 'utf8'), 'generate-permissions', parts), source: 'src/controller/permissions.ts' },
];

if (import.meta.main) await runAlone(generate);

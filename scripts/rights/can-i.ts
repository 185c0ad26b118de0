import type { Permission } from '../../src/api/permission.ts';

interface Row {
  group: string;
  resource: string;
  name?: string;
  verbs: string[];
}

const HEADER = ['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs'];
const GAP = 3;

/**
 * These permissions as `kubectl auth can-i --list` prints them: a row for each resource and name, in kubectl's order. The rows that every account
 * has are left out.
 */
export function canIList(permissions: readonly Permission[]): string {
  const rows = rowsOf(permissions).map(({ group, resource, name, verbs }) => {
    const [kind = '', subresource] = resource.split('/');
    const full = `${kind}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
    return [full, '[]', name === undefined ? '[]' : `[${name}]`, `[${verbs.join(' ')}]`];
  });
  const cells = [HEADER, ...rows];
  const widths = HEADER.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)) + GAP);
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

/** By kubectl's CompactRules and SortableRuleSlice (k8s.io/kubectl/pkg/cmd/auth, k8s.io/component-helpers/auth/rbac/validation). */
function rowsOf(permissions: readonly Permission[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { group, resources, names, verbs } of permissions)
    for (const resource of resources)
      for (const name of names ?? [undefined]) {
        const key = JSON.stringify([group, resource, name]);
        const row = rows.get(key) ?? { group, resource, ...(name === undefined ? {} : { name }), verbs: [] };
        row.verbs.push(...verbs.filter((verb) => !row.verbs.includes(verb)));
        rows.set(key, row);
      }
  const text = ({ group, resource, name = '', verbs }: Row) => `[${verbs.join(' ')}],[${group}],[${resource}],[${name}]`;
  return [...rows.values()].toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

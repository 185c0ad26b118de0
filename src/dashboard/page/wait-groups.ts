import type { CanaryRow, WaitView } from '../wire.ts';
import { words } from './words.ts';

/** Canaries that wait for the same. */
export interface WaitGroup {
  key: string;
  title: string;
  /** All who can end one of the waits. */
  who: string;
  /** Each Canary once. */
  rows: readonly CanaryRow[];
}

export const titleOf = ({ kind, name }: Pick<WaitView, 'kind' | 'name'>): string => words.waitsFor[kind]?.(name) ?? name;

/** Canaries grouped by their waits, the largest group first; a Canary with several waits is in each group. */
export function waitGroups(rows: readonly CanaryRow[]): WaitGroup[] {
  const groups = new Map<string, { title: string; who: Set<string>; rows: Set<CanaryRow> }>();
  for (const row of rows)
    for (const wait of row.waits ?? []) {
      const key = `${wait.kind} ${wait.name}`;
      const group = groups.get(key) ?? { title: titleOf(wait), who: new Set(), rows: new Set() };
      group.who.add(wait.who);
      group.rows.add(row);
      groups.set(key, group);
    }
  return [...groups]
    .map(([key, group]) => ({ key, title: group.title, who: [...group.who].join('; '), rows: [...group.rows] }))
    .sort((a, b) => b.rows.length - a.rows.length || (a.key < b.key ? -1 : 1));
}

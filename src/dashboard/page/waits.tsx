import type { CanaryRow, WaitView } from '../wire.ts';
import { Card, lasts, Table, timeText } from './parts.tsx';
import { words } from './words.ts';

/** Canaries that wait for the same. */
export interface WaitGroup {
  key: string;
  title: string;
  who: string;
  rows: readonly CanaryRow[];
}

const titleOf = ({ kind, name }: WaitView): string => words.waitsFor[kind]?.(name) ?? name;

/** The Canaries by what they wait for, the largest group first; one that waits for several is in each. */
export function waitGroups(rows: readonly CanaryRow[]): WaitGroup[] {
  const groups = new Map<string, WaitGroup & { rows: CanaryRow[] }>();
  for (const row of rows)
    for (const wait of row.waits ?? []) {
      const key = `${wait.kind} ${wait.name}`;
      const group = groups.get(key) ?? { key, title: titleOf(wait), who: wait.who, rows: [] };
      group.rows.push(row);
      groups.set(key, group);
    }
  return [...groups.values()].sort((a, b) => b.rows.length - a.rows.length || (a.key < b.key ? -1 : 1));
}

/** What one Canary waits for. */
export function WaitsCard({ waits, nowMs }: { waits: readonly WaitView[]; nowMs: number }) {
  return (
    <Card title={words.waiting} isWide>
      <Table
        title={words.waiting}
        heads={[words.waitingFor, words.whoCanEndIt, words.since, words.until]}
        rows={waits.map((wait) => [
          titleOf(wait),
          wait.who,
          wait.since === undefined ? '' : `${timeText(wait.since)} (${lasts(nowMs - Date.parse(wait.since))})`,
          wait.until === undefined ? words.noLimit : timeText(wait.until),
        ])}
      />
      <p>
        <a href="/?waiting">{words.allWaiting}</a>
      </p>
    </Card>
  );
}

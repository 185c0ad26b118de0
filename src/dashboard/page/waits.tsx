import type { WaitView } from '../wire.ts';
import { Card, lasts, Table, timeText } from './parts.tsx';
import { titleOf } from './wait-groups.ts';
import { words } from './words.ts';

/** What one Canary waits for. */
export function WaitsCard({ waits, nowMs }: { waits: readonly WaitView[]; nowMs: number }) {
  return (
    <Card title={words.waiting} isWide>
      <Table
        title={words.waiting}
        heads={[words.waitingFor, words.reason, words.whoCanEndIt, words.since, words.until]}
        rows={waits.map((wait) => [
          titleOf(wait),
          [wait.code, wait.field].filter(Boolean).join(' '),
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

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Played, type Seconds, SURFACES, type Surface } from './mistake.ts';

const FOLDER = join(import.meta.dirname, 'recorded');
const AFTER_END: readonly Surface[] = ['get', 'describe', 'status', 'why', 'page', 'alert'];

/** With `RECORD=name` the results of a cluster go into `recorded/name.json`, beside those of the other one. */
export function recordPlayed(cluster: string, played: readonly Played[]): void {
  const name = process.env.RECORD;
  if (name === undefined) return;
  const file = join(FOLDER, `${name}.json`);
  let known: Record<string, Played[]> = {};
  try {
    known = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The first run.
  }
  // A run of a few mistakes replaces only their rows.
  const rows = new Map((known[cluster] ?? []).map((row) => [row.id, row]));
  for (const row of played) rows.set(row.id, row);
  writeFileSync(file, `${JSON.stringify({ ...known, [cluster]: [...rows.values()] }, null, 2)}\n`);
}

/** A row for each mistake: seconds while the release waits, seconds after its end, and the result of the remedy. `–` means never, and an empty cell that nothing is due. */
export function markdownOf(played: readonly Played[]): string {
  const cells = (seconds: Seconds | undefined, surfaces: readonly Surface[]) =>
    surfaces.map((surface) => {
      const found = seconds?.[surface];
      return found === undefined ? '' : found === null ? '–' : String(found);
    });
  const head = ['mistake', ...SURFACES, 'end after', ...AFTER_END.map((surface) => `${surface}, ended`), 'remedy'];
  const rows = played.map(({ id, waiting, ended, endedAfter, remedy }) => [
    id,
    ...cells(waiting, SURFACES),
    endedAfter === undefined ? '' : String(endedAfter),
    ...cells(ended, AFTER_END),
    remedy.result,
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

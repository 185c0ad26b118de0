import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judgeSoak } from '../scenarios/soak/judge-soak.ts';
import type { LeaderChange } from '../scenarios/soak/lateness.ts';
import { playSoak } from '../scenarios/soak/virtual-soak.ts';
import { enterVirtual, playTests } from '../scenarios/world.ts';

/** `SOAK_CANARIES=50 SOAK_HOURS=16 SOAK_SEED=…` plays a smaller run, or one again. */
const [canaries, hours] = [Number(process.env.SOAK_CANARIES ?? 300), Number(process.env.SOAK_HOURS ?? 24)];
const seed = Number(process.env.SOAK_SEED ?? 1);
const CHANGES: Readonly<Record<number, LeaderChange>> = { 1: 'killed', 3: 'stopped', 5: 'halted', 8: 'killed' };
/** Each Canary has had releases with each end under the last leader, and has as many journals and promoted templates as are kept. */
const SETTLED_FROM = 12;

/** Bound of a smaller run: the last changes that the API server keeps differ by as much, and what V8 learns of functions. */
const FEWEST = 300;

enterVirtual(seed);
playTests();

it(`${hours} virtual hours of releases, edits, deletions and changes of the leader over ${canaries} Canaries leave nothing in memory`, {
  timeout: 240 * 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-soak-'));
  try {
    const say = (line: string) => void process.stdout.write(`${line}\n`);
    const report = await playSoak({ canaries, cycles: hours, cycleMs: 3_600_000, changes: CHANGES, seed, folder, say });
    const growth = judgeSoak(report, canaries, SETTLED_FROM);
    if (growth === undefined) return;
    const settled = report.counts.slice(SETTLED_FROM);
    expect(settled.map(({ stored }) => stored)).toEqual(settled.map(() => settled[0]?.stored));
    // Less than one, and less than a kilobyte, for each release of the whole run.
    expect(growth.objects, 'objects in an hour').toBeLessThan(Math.max(canaries, FEWEST));
    expect(growth.kilobytes, 'kilobytes of the heap in an hour').toBeLessThan(Math.max(canaries, FEWEST));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

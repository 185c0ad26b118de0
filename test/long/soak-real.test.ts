import { expect, it } from 'vitest';
import { slopeOf } from '../bench/figures.ts';
import { program } from '../fakes/program.ts';
import { playRealSoak, type RealCounts } from '../scenarios/soak/real-soak.ts';

/** `SOAK_MINUTES=5 SOAK_CANARIES=60` is a small run, which is too short to judge growth. */
const [canaries, minutes] = [Number(process.env.SOAK_CANARIES ?? 300), Number(process.env.SOAK_MINUTES ?? 120)];
const seed = Number(process.env.SOAK_SEED ?? 1);
/** The last leader has made a release with each end of each Canary after so many cycles. */
const SETTLING_CYCLES = 3;
const FEWEST = 3;

it('two hours of releases, edits and killed leaders on a real control plane leave no timer, connection or memory behind', {
  timeout: (minutes + 30) * 60_000,
}, async () => {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const report = await playRealSoak({ canaries, minutes, seed, program: program(), say });
  say(JSON.stringify({ ...report, counts: undefined }));
  expect(report).toMatchObject({ wrong: [], idleRequests: [], processEnds: 0 });
  expect(report.releases.bad).toBeGreaterThan(0);
  expect(report.counts.map(({ registered, waiting }) => ({ registered, waiting }))).toEqual(
    report.counts.map(() => ({ registered: canaries, waiting: 0 })),
  );
  const last = report.counts.at(-1)?.since ?? 0;
  const settled = report.counts.slice(last + SETTLING_CYCLES);
  if (settled.length < FEWEST) return say('growth is not judged: fewer than three cycles of a settled leader');
  const growth = (read: (one: RealCounts) => number) => slopeOf(settled.map((one, cycle) => [cycle, read(one)]))?.slope;
  say(JSON.stringify({ heapMiB: growth(({ heapMiB }) => heapMiB), rssMiB: growth(({ rssMiB }) => rssMiB) }));
  // One for each twenty releases.
  expect(
    growth(({ timers }) => timers),
    'timers',
  ).toBeLessThan(canaries / 20);
  expect(
    growth(({ connections }) => connections),
    'connections',
  ).toBeLessThan(canaries / 20);
  expect(
    growth(({ series }) => series),
    'series',
  ).toBeLessThan(canaries / 20);
  // A kilobyte for each release.
  expect(
    growth(({ heapMiB }) => heapMiB),
    'MiB of the heap',
  ).toBeLessThan(canaries / 1024);
});

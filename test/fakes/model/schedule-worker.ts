import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { aSchedule, play, type Schedule } from './adversary.ts';

/** Findings of one thread: schedules that got unanalysed bytes promoted, and the number of all promotions. */
export interface Findings {
  found: { schedule: Schedule; unanalysed: string[] }[];
  promotions: number;
}

const { seed, numRuns }: { seed: number; numRuns: number } = workerData;
const findings: Findings = { found: [], promotions: 0 };
for (const schedule of fc.sample(aSchedule, { seed, numRuns })) {
  const { unanalysed, promotions } = await play(schedule);
  findings.promotions += promotions;
  if (unanalysed.length > 0) findings.found.push({ schedule, unanalysed });
}
parentPort?.postMessage(findings);

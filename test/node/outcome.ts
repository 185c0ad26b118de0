import { expect } from 'vitest';
import type { Application } from './applications.ts';
import { versionOf } from './applications.ts';
import { startUsers } from './users.ts';

/** A release as its users saw it. */
export interface Outcome {
  phase: string;
  sent: number;
  lost: readonly string[];
  versions: readonly string[];
}

/** Releases version 2, with users that never stop asking, and does something in the middle. A line says what came of it. */
export async function outcomeOf(shop: Application, { meanwhile }: { meanwhile?: () => Promise<unknown> } = {}): Promise<Outcome> {
  await shop.waitFor('initialized');
  const startedMs = performance.now();
  const users = startUsers(await shop.url(), versionOf);
  try {
    await shop.release('2', 'good');
    if (meanwhile !== undefined) {
      await shop.hasChecks(2);
      await meanwhile();
    }
    await shop.waitFor('the end');
  } finally {
    await users.stop();
  }
  const { sent, lost, answers } = users.asked;
  const phase = await shop.phase();
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`${expect.getState().currentTestName}: ${sent} requests, ${lost.length} lost, ${seconds} s, ${phase}\n`);
  return { phase, sent, lost, versions: [...answers.keys()].toSorted() };
}

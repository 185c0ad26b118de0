import { type Application, versionOf } from './applications.ts';
import { startUsers } from './users.ts';

/** A release as its users saw it. */
export interface Outcome {
  phase: string;
  sent: number;
  lost: readonly string[];
  versions: readonly string[];
}

export interface Steps {
  /** Begins the release. Default: version 2 by the environment of the pods. */
  release?: () => Promise<unknown>;
  /** Happens after two of its checks. */
  meanwhile?: () => Promise<unknown>;
}

/** Releases version 2 under continuous requests of users. Prints the outcome in one line. */
export async function outcomeOf(shop: Application, { release = () => shop.release('2', 'good'), meanwhile }: Steps = {}): Promise<Outcome> {
  await shop.waitFor('initialized');
  const startedMs = performance.now();
  const users = startUsers(await shop.url(), versionOf);
  try {
    await release();
    if (meanwhile !== undefined) {
      await shop.hasChecks(2);
      await meanwhile();
    }
    await shop.waitFor('the end');
  } finally {
    await users.stop();
  }
  const { sent, lost, misled, resent, answers } = users.asked;
  const phase = await shop.phase();
  const end = phase === 'Failed' ? `${phase}: ${await shop.message()}` : phase;
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(
    `${shop.namespace}: ${sent} requests, ${lost.length} lost, ${misled.length} misled by the kernel, ${resent} sent again, ${seconds} s, ${end}\n`,
  );
  return { phase, sent, lost, versions: [...answers.keys()].toSorted() };
}

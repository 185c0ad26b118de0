import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { parsed } from '../providers/canary-for.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import { routerOf } from '../shares/split-app.ts';
import { old } from './edits.ts';
import type { LiveRelease } from './live-release.ts';
import { lookAt } from './run-edit.ts';

const LOOK_EVERY_MS = 250;
/** Fewer show no brake. */
const LEAST_BLOWS = 3;

export interface Fought {
  /** Writes of Serin, and of the other writer, to the objects that hold routes. */
  writes: number;
  foreign: number;
  /** A busy machine looks more rarely, so that the fight takes longer than requested. */
  lastedMs: number;
  /** Message of the condition Contested, `undefined` without the condition. */
  contested?: string;
}

/** Another writer restores the route of the previous step after each correction, for this time. */
export async function runContest(
  release: LiveRelease,
  fixture: ProviderFixture,
  { canary, earlier }: { canary: KubeObject; earlier: KubeObject },
  durationMs: number,
): Promise<Fought> {
  const watched = routerOf(fixture).watches(parsed(canary));
  const written = await release.writes(watched);
  const beganMs = release.nowMs();
  let foreign = 0;
  while (release.nowMs() - beganMs < durationMs || foreign < LEAST_BLOWS) {
    if ((await lookAt(release, fixture, canary)).missing.length === 0) {
      const now = await release.find(refOf(earlier));
      await release.put(now ? old(now, earlier) : earlier);
      foreign += 1;
    }
    await release.wait(LOOK_EVERY_MS);
  }
  const contestedMessage = async (): Promise<string | undefined> => {
    const conditions: { type: string; message?: string }[] = raw(await release.find(refOf(canary)))?.status?.conditions ?? [];
    return conditions.find(({ type }) => type === 'Contested')?.message;
  };
  await release.eventually('the contest is reported', async () => (await contestedMessage()) !== undefined);
  const contested = await contestedMessage();
  const writes = (await release.writes(watched)) - written;
  return { writes, foreign, lastedMs: release.nowMs() - beganMs, ...(contested !== undefined && { contested }) };
}

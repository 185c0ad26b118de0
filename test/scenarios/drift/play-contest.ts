import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { parsed } from '../providers/canary-for.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import { routerOf } from '../shares/split-app.ts';
import { old } from './edits.ts';
import { lookAt } from './play-edit.ts';
import type { Scene } from './scene.ts';

const LOOK_EVERY_MS = 250;
/** Fewer show no brake. */
const LEAST_BLOWS = 3;

export interface Fought {
  /** Of Serin, and of the other one, to the objects that hold routes. */
  writes: number;
  foreign: number;
  /** A busy machine looks more rarely, so that the fight takes longer than was asked for. */
  lastedMs: number;
  /** What the condition Contested says; undefined: it is not there. */
  contested?: string;
}

/** Somebody puts the route of the step before back as soon as it is corrected, for so long. */
export async function playContest(
  scene: Scene,
  fixture: ProviderFixture,
  { canary, earlier }: { canary: KubeObject; earlier: KubeObject },
  durationMs: number,
): Promise<Fought> {
  const watched = routerOf(fixture).watches(parsed(canary));
  const written = await scene.writes(watched);
  const beganMs = scene.nowMs();
  let foreign = 0;
  while (scene.nowMs() - beganMs < durationMs || foreign < LEAST_BLOWS) {
    if ((await lookAt(scene, fixture, canary)).missing.length === 0) {
      const now = await scene.find(refOf(earlier));
      await scene.put(now ? old(now, earlier) : earlier);
      foreign += 1;
    }
    await scene.wait(LOOK_EVERY_MS);
  }
  const toldOf = async (): Promise<string | undefined> => {
    const conditions: { type: string; message?: string }[] = raw(await scene.find(refOf(canary)))?.status?.conditions ?? [];
    return conditions.find(({ type }) => type === 'Contested')?.message;
  };
  await scene.eventually('the contest is told', async () => (await toldOf()) !== undefined);
  const contested = await toldOf();
  const writes = (await scene.writes(watched)) - written;
  return { writes, foreign, lastedMs: scene.nowMs() - beganMs, ...(contested !== undefined && { contested }) };
}

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { editsFor } from './drift/edits.ts';
import { playContest } from './drift/play-contest.ts';
import { lookAt, playEdit } from './drift/play-edit.ts';
import type { Scene } from './drift/scene.ts';
import { parsed } from './providers/canary-for.ts';
import type { ProviderFixture } from './providers/provider-fixture.ts';
import { routerOf } from './shares/split-app.ts';

const LEAST_EDITS = 12;
const FIRST_PERCENT = 30;
/** A step for each edit: what is corrected then is news to the brake. */
export const DRIFT_PLAN = { threshold: 5, stepWeights: Array.from({ length: 60 }, (_, index) => FIRST_PERCENT + index) };

export interface DriftStage {
  scene: Scene;
  canary: KubeObject;
  /** How long somebody fights; shorter than a step. */
  contestMs: number;
  stop(): Promise<void>;
}

/** The brake: one correction at once, then after 1, 2, 4, 8 … s. */
const mostCorrections = (ms: number): number => 2 + Math.floor(Math.log2(ms / 1000 + 1));

/** Foreign edits in the middle of a release, one after the other, each at a weight of its own (04 R-T4, R-T9). */
export function describeDrift(fixture: ProviderFixture, start: () => Promise<DriftStage>): void {
  const edits = editsFor(fixture);
  const stage: { now?: DriftStage; earlier?: KubeObject } = {};
  const at = (): DriftStage => {
    if (!stage.now) throw new Error('the release is there when a test runs, not before');
    return stage.now;
  };
  const route = async (): Promise<KubeObject> => {
    const { name, namespace = '' } = at().canary.metadata;
    const found = await at().scene.find(fixture.route({ name, namespace }));
    if (!found) throw new Error('there is no route');
    return found;
  };

  beforeAll(async () => {
    stage.now = await start();
    await at().scene.nextStep();
    stage.earlier = await route();
    await at().scene.nextStep();
  });
  afterAll(() => stage.now?.stop());

  it(`is tried with at least ${LEAST_EDITS} kinds of edit`, () => expect(edits.length).toBeGreaterThanOrEqual(LEAST_EDITS));

  it.each(edits)('R-T4: $name', async (edit) => {
    const { scene, canary } = at();
    const { earlier } = stage;
    if (!earlier) throw new Error('there is no earlier route');
    const { before, edited, onePassLater, routeBefore, routeAfter, writes } = await playEdit(scene, fixture, { canary, earlier }, edit);
    expect(before).toMatchObject({ routes: before.held.recorded, missing: [] });
    expect(onePassLater, 'weights, and the analysis').toEqual(before);
    if (edit.isUndone) expect(routeAfter).toMatchObject(routeBefore);
    if (edit.isUndone) expect(routeAfter.spec).toEqual(routeBefore.spec);
    expect(writes, edited.missing.join()).toBe(edited.missing.length > 0 ? 1 : 0);
    stage.earlier = await route();
    await scene.nextStep();
  });

  it('somebody who puts it back again and again is corrected ever more rarely, and named', async () => {
    const { scene, canary, contestMs } = at();
    if (!stage.earlier) throw new Error('there is no earlier route');
    const before = await lookAt(scene, fixture, canary);
    const { writes, foreign, contested } = await playContest(scene, fixture, { canary, earlier: stage.earlier }, contestMs);
    expect(foreign).toBeGreaterThan(2);
    expect(writes).toBeLessThanOrEqual(foreign);
    expect(writes).toBeLessThanOrEqual(mostCorrections(contestMs));
    expect(contested).toMatch(/is changed back by/);
    await scene.eventually('the recorded weights stand', async () => (await lookAt(scene, fixture, canary)).missing.length === 0);
    expect(await lookAt(scene, fixture, canary)).toEqual(before);
  });

  it('R-L2: a Canary that is deleted after all this leaves no route to its sides', async () => {
    const { scene, canary } = at();
    const watched = routerOf(fixture).watches(parsed(canary));
    await scene.delete(refOf(canary));
    await scene.eventually('no route leads to what is going away', async () => {
      const left = await Promise.all(watched.map((ref) => scene.find(ref)));
      return left.every((object) => !/-(primary|canary)"/.test(JSON.stringify(object?.spec ?? {})));
    });
  });
}

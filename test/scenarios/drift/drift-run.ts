import { expect } from 'vitest';
import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { acceptAnnotation } from '../../../src/api/names.ts';
import { raw } from '../../fakes/raw.ts';
import { parsed } from '../providers/canary-for.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import { routerOf } from '../shares/split-app.ts';
import type { Edit } from './edits.ts';
import type { LiveRelease } from './live-release.ts';
import { runContest } from './run-contest.ts';
import { lookAt, runEdit } from './run-edit.ts';

export interface DriftFixture {
  release: LiveRelease;
  canary: KubeObject;
  /** Duration of the other writer's fight; shorter than a step. */
  contestMs: number;
  stop(): Promise<void>;
}

/** The brake: one correction at once, then after 1, 2, 4, 8 … s. */
const mostCorrections = (ms: number): number => 2 + Math.floor(Math.log2(ms / 1000 + 1));

/** One release that others meddle with, each time at another weight: what is corrected then is news to the brake. */
export class DriftRun {
  readonly #environment: DriftFixture;
  readonly #fixture: ProviderFixture;
  /** The route at the previous step. */
  #earlier: KubeObject;

  private constructor(environment: DriftFixture, fixture: ProviderFixture, earlier: KubeObject) {
    this.#environment = environment;
    this.#fixture = fixture;
    this.#earlier = earlier;
  }

  /** Begins at its second weight. */
  static async begin(environment: DriftFixture, fixture: ProviderFixture): Promise<DriftRun> {
    await environment.release.nextStep();
    const run = new DriftRun(environment, fixture, await routeOf(environment, fixture));
    await environment.release.nextStep();
    return run;
  }

  /** The recorded weights are restored one pass after the edit, by one write if any is needed, and the analysis goes on. */
  async survives(edit: Edit): Promise<void> {
    const { release, canary } = this.#environment;
    const played = await runEdit(release, this.#fixture, { canary, earlier: this.#earlier }, edit);
    const { before, edited, isStripped, staysStripped, onePassLater, routeBefore, routeAfter, writes, foreign } = played;
    expect(before, edit.name).toMatchObject({ routes: before.held.recorded, missing: [] });
    expect(onePassLater, `${edit.name}: weights, and the analysis`).toEqual(before);
    if (edit.isUndone) expect(routeAfter, edit.name).toMatchObject(routeBefore);
    if (edit.isUndone) expect(routeAfter.spec, edit.name).toEqual(routeBefore.spec);
    const isTouched = edited.missing.length > 0 || isStripped;
    const why = `${edit.name}: writes for ${edited.missing.join()}${isStripped ? ' lost marks' : ''}`;
    expect(staysStripped, why).toBe(false);
    const most = this.#fixture.mergesByKey ? 2 : 1;
    if (release.isPausedBetweenCalls) expect(writes > 0, why).toBe(isTouched);
    if (release.isPausedBetweenCalls) expect(writes, why).toBeLessThanOrEqual(most * Math.min(foreign, 1));
    // In real time one edit can be seen in two parts, and put right in two.
    expect(writes, why).toBeLessThanOrEqual(2 * foreign);
    this.#earlier = await routeOf(this.#environment, this.#fixture);
    await release.nextStep();
  }

  /** Another writer that puts the route back again and again is corrected ever more rarely, and named. */
  async survivesContest(): Promise<void> {
    const { release, canary, contestMs } = this.#environment;
    const before = await this.#look();
    const { writes, foreign, lastedMs, contested } = await runContest(
      release,
      this.#fixture,
      { canary, earlier: this.#earlier },
      contestMs,
    );
    expect(foreign).toBeGreaterThan(2);
    expect(writes).toBeLessThanOrEqual(foreign);
    expect(writes).toBeLessThanOrEqual(mostCorrections(lastedMs));
    expect(contested).toMatch(/is changed back by/);
    await release.eventually('the recorded weights stand', async () => (await this.#look()).missing.length === 0);
    expect(await this.#look()).toEqual(before);
  }

  /** A Canary that is deleted in the middle of it leaves no route to its sides. */
  async leavesNothing(): Promise<void> {
    const { release, canary } = this.#environment;
    const watched = routerOf(this.#fixture).watches(parsed(canary));
    // Without this statement of the user the primary would keep serving (I19).
    const { status, spec } = raw(await release.find(refOf(canary)));
    const target = { ...spec.targetRef, namespace: canary.metadata.namespace };
    await release.patch(target, { metadata: { annotations: { [acceptAnnotation]: status.release.revision } } });
    await release.delete(refOf(canary));
    await release.eventually('no route leads to what is going away', async () => {
      const left = await Promise.all(watched.map((ref) => release.find(ref)));
      return left.every((object) => !/-(primary|canary)"/.test(JSON.stringify(object?.spec ?? {})));
    });
  }

  #look() {
    return lookAt(this.#environment.release, this.#fixture, this.#environment.canary);
  }
}

async function routeOf({ release, canary }: DriftFixture, fixture: ProviderFixture): Promise<KubeObject> {
  const { name, namespace = '' } = canary.metadata;
  const found = await release.find(fixture.route({ name, namespace }));
  if (!found) throw new Error('route not found');
  return found;
}

import { expect, it, vi } from 'vitest';
import { APP, aDeployment, aModelCanary, canaryRef, ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { drawer } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 300_000 });

const START_UP_MS = 20_000;
const LAG_MS = 2_000;
/** For Serin to notice, its writes, and the lag of the proxies. */
const PUT_BACK_MS = 5_000;

/** Initialized, deleted, and its users are on the target again. */
async function handingOver(provider: string): Promise<ModelLab> {
  const draw = drawer(7);
  const lab = new ModelLab({
    draw,
    startUpMs: [START_UP_MS, START_UP_MS + 1],
    lagMs: [0, LAG_MS],
    latencyMs: [0, 200],
    scaleDownDelayMs: LAG_MS,
  });
  await lab.application();
  lab.server.create(aModelCanary(provider === 'kubernetes' ? { iterations: 2 } : { stepWeight: 50 }, { provider, revertOnDeletion: true }));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized' && raw(lab.canary())?.status.release.step === 'resting', 300_000)).toBe(
    true,
  );
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => lab.answering().join() === APP, 300_000)).toBe(true);
  return lab;
}

const hasPrimary = (lab: ModelLab): boolean => lab.server.find(primaryRef) !== undefined;

it.each(
  ['istio', 'smi:v1alpha2', 'kubernetes'].flatMap((provider) => [0, 500, 1_000, 1_500, 2_000].map((afterMs) => ({ provider, afterMs }))),
)(
  'I7: a target that is made again $afterMs ms after its traffic has come back ($provider) has it when it is ready',
  async ({ provider, afterMs }) => {
    const lab = await handingOver(provider);
    await lab.pass(afterMs);
    expect(hasPrimary(lab), 'the hand-over is under way').toBe(true);

    // The first losses are its user's doing.
    lab.watched = false;
    lab.server.delete(targetRef);
    lab.server.create(aDeployment('1'));
    await lab.pass(PUT_BACK_MS);
    lab.watched = true;
    for (let ms = PUT_BACK_MS; ms < START_UP_MS; ms += 250) {
      expect(lab.answering(), `${ms} ms later`).toEqual([primaryRef.name]);
      await lab.pass(250);
    }
    expect(await lab.passUntil(() => lab.canary() === undefined && !hasPrimary(lab), 300_000)).toBe(true);
    await lab.pass(60_000);
    expect(lab.answering()).toEqual([APP]);
    expect(lab.nodes.serves(APP, NAMESPACE)).toBe(true);
    expect(lab.lost.slice(0, 3)).toEqual([]);
  },
);

import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { deploymentReadiness } from '../../src/workloads/deployment/readiness.ts';
import { APP, ModelLab, targetRef } from '../fakes/model/lab.ts';
import { ModelPods } from '../fakes/model/pods.ts';
import type { Life } from './life.ts';
import { modelledWorld } from './modelled-world.ts';

const START_UP_MS = 1_000;

async function anApplication(): Promise<{ lab: ModelLab; pods: ModelPods; target(): KubeObject }> {
  const lab = new ModelLab({
    draw: (from) => from,
    startUpMs: [START_UP_MS, START_UP_MS],
    lagMs: [0, 0],
    latencyMs: [0, 0],
    scaleDownDelayMs: 0,
  });
  const pods = new ModelPods(lab.server, lab.clock, lab.nodes);
  await lab.application();
  const target = (): KubeObject => {
    const found = lab.server.find(targetRef);
    if (found === undefined) throw new Error(`no Deployment ${APP}`);
    return found;
  };
  return { lab, pods, target };
}

it.each(['before', 'after'] as const)(
  'a pod that crashed %s the push is back as an old pod while the version that was pushed is not ready',
  async (order) => {
    const { lab, pods, target } = await anApplication();
    if (order === 'after') lab.push('broken');
    expect(pods.fail(target(), { how: 'exit', ms: 5_000 })).toBe(true);
    await lab.pass(100);
    if (order === 'before') lab.push('broken');
    await lab.pass(10_000);
    expect(deploymentReadiness(target(), 100)).toMatchObject({ state: 'waiting', ready: 1 });
  },
);

it('a pod that a drain took is an old one when it is back before the version that was pushed is ready', async () => {
  const { lab, pods, target } = await anApplication();
  lab.push('broken');
  expect(pods.evict(target(), 'EvictionByEvictionAPI', 5_000)).toBe(true);
  await lab.pass(10_000);
  expect(deploymentReadiness(target(), 100)).toMatchObject({ state: 'waiting', ready: 1 });
});

it("a lost request counts as a pod's fault until the proxy has learned of the next pod", async () => {
  const life: Life = { seed: 1, hasScaler: false, revertOnDeletion: false, hasService: true, actions: [] };
  const world = await modelledWorld(life);
  const pass = (ms: number): Promise<void> => world.pass(ms);
  await world.act({ do: 'kill Serin', forMs: 3_600_000 }, pass);
  const lost: boolean[] = [];
  for (let times = 0; times < 20; times += 1) {
    await world.act({ do: 'drain', side: 'target', how: 'EvictionByEvictionAPI', ms: 100 }, pass);
    for (let looks = 0; looks < 20; looks += 1) {
      await pass(250);
      lost.push(...world.ask().flatMap((answer) => ('lost' in answer ? [answer.isPodsFault] : [])));
    }
  }
  await world.close();
  expect(lost.length).toBeGreaterThan(0);
  expect(lost).not.toContain(false);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MOST_BY_NAME } from '../../src/controller/watch/namespace-configs.ts';
import { createCanary, createNamespace, createTarget, inParallel, STEPS } from '../bench/at-once/at-once-applications.ts';
import { startBareCluster } from '../bench/bare-cluster.ts';
import { startProgram } from '../scenarios/controller.ts';

const COUNT = 1_000;
const NAMESPACE = 'shop';

/** Only real time can show this: in virtual time a list is never answered while the controller is still busy. */
it('I8: a start lists the ConfigMaps of a namespace once, however many Canaries read one each', async () => {
  const bare = await startBareCluster();
  const folder = mkdtempSync(join(tmpdir(), 'serin-many-configs-'));
  await createNamespace(bare.cluster, NAMESPACE);
  await inParallel(COUNT, 32, async (index) => {
    await createTarget(bare.cluster, NAMESPACE, index);
    await createCanary(bare.cluster, NAMESPACE, index, STEPS);
  });
  const controller = startProgram([`--kubeconfig=${bare.kubeconfigFile}`, '--port=0'], join(folder, 'log'));
  const counts = () => bare.requestCounts('serin-controller');
  // When the first Canaries have their primaries, all ConfigMaps have been requested.
  while ((counts()['create deployments'] ?? 0) < COUNT / 2) await sleep(100);
  await controller.stop('TERM');
  const { 'list configmaps': lists = 0 } = counts();
  await bare.stop();
  rmSync(folder, { recursive: true, force: true });
  // Pages of 500: those watched by name, and the namespace with the copies that are made meanwhile.
  expect(lists).toBeLessThanOrEqual(MOST_BY_NAME + (2 * COUNT) / 500);
});

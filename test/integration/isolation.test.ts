import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControllerProcess, startController } from '../suite/controller.ts';
import { type Stage, startEmbeddedStage } from '../suite/stage.ts';
import { aCanary, aDeployment, makeNamespace, push } from '../suite/troubles/objects.ts';
import { Teller } from '../suite/troubles/told.ts';

let stage: Stage;
let controller: ControllerProcess;
let teller: Teller;
beforeAll(async () => {
  stage = await startEmbeddedStage();
  controller = startController(stage);
  teller = new Teller(stage.cluster);
  await teller.synced;
});
afterAll(async () => {
  teller?.stop();
  await controller?.stop();
  await stage?.stop();
});

it('I12: a webhook that hangs for 30 s keeps its own Canary waiting, and no other', async () => {
  const { cluster } = stage;
  const asked = Promise.withResolvers<void>();
  const hanging = createServer(() => asked.resolve());
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
  try {
    for (const name of ['stuck', 'free']) {
      await makeNamespace(cluster, name);
      await cluster.create(aDeployment(name, 'web'));
      const webhooks = name === 'stuck' ? [{ name: 'slow', type: 'rollout', url, timeout: '30s' }] : [];
      await cluster.create(aCanary(name, 'web', { webhooks }));
    }
    for (const name of ['stuck', 'free']) await teller.until(name, 'web', 'Initialized', ({ phase }) => phase === 'Initialized');
    await push(cluster, 'stuck', 'web', '2');
    await asked.promise;
    await push(cluster, 'free', 'web', '2');
    await teller.until('free', 'web', 'success', ({ phase }) => phase === 'Succeeded');
    expect(teller.of('stuck', 'web').phase).toBe('Progressing');
  } finally {
    hanging.closeAllConnections();
    await new Promise((resolve) => hanging.close(resolve));
  }
});

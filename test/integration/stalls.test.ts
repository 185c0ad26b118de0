import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControllerProcess, startController } from '../suite/controller.ts';
import { type HookServer, startHookServer } from '../suite/hook-server.ts';
import { type Stage, startEmbeddedStage } from '../suite/stage.ts';
import { startApiProxy } from '../suite/troubles/api-proxy.ts';
import { stalls } from '../suite/troubles/stalls.ts';
import { Teller } from '../suite/troubles/told.ts';

let stage: Stage;
let proxy: { url: string; stop(): Promise<void> };
let controller: ControllerProcess;
let teller: Teller;
let hooks: HookServer;
const hanging = createServer(() => undefined);
beforeAll(async () => {
  stage = await startEmbeddedStage();
  const kubeconfig = readFileSync(stage.kubeconfigFile, 'utf8');
  const apiUrl = /https?:\/\/127\.0\.0\.1:\d+/.exec(kubeconfig)?.[0] ?? '';
  proxy = await startApiProxy(apiUrl, (method, path) => {
    if (method !== 'GET' && path.includes('/namespaces/rbac/virtualservices')) return 403;
    return path.startsWith('/apis/split.smi-spec.io/v1alpha4') ? 404 : undefined;
  });
  const kubeconfigFile = join(mkdtempSync(join(tmpdir(), 'serin-stalls-')), 'kubeconfig');
  writeFileSync(kubeconfigFile, kubeconfig.replaceAll(apiUrl, proxy.url));
  controller = startController({ ...stage, kubeconfigFile });
  hooks = await startHookServer();
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  teller = new Teller(stage.cluster);
  await teller.synced;
});
afterAll(async () => {
  teller?.stop();
  await controller?.stop();
  await hooks?.stop();
  hanging.closeAllConnections();
  hanging.close();
  await proxy?.stop();
  await stage?.stop();
});

describe.concurrent('what kubectl describe canary tells of a release that stands still', () => {
  it('is tried with at least twenty stalls', () => {
    expect(stalls.length).toBeGreaterThanOrEqual(20);
  });

  for (const { namespace, cause, wayOut, play } of stalls) {
    it(`${namespace}: one condition names the cause and the way out`, async () => {
      await play({ cluster: stage.cluster, teller, hooks, hangingUrl: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/` });
      const isTold = (message: string) => cause.test(message) && wayOut.test(message);
      const told = await teller.until(namespace, 'web', `${cause} and ${wayOut}`, ({ conditions }) =>
        conditions.some(({ message }) => isTold(message)),
      );
      expect(told.conditions.filter(({ message }) => isTold(message))).not.toEqual([]);
    });
  }
});

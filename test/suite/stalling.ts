import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControllerProcess, startController } from './controller.ts';
import { eventually } from './eventually.ts';
import { type HookServer, startHookServer } from './hook-server.ts';
import type { Stage } from './stage.ts';
import { type ApiProxy, startApiProxy } from './troubles/api-proxy.ts';
import { push } from './troubles/objects.ts';
import { canaryCrd, tellOldDefinitions, withoutRelease } from './troubles/old-definitions.ts';
import { OUTDATED, type Stall, stalls, type Theatre } from './troubles/stalls.ts';
import { Teller } from './troubles/told.ts';
import { startUsers } from './users.ts';

/** What a person reads of the Canary `web` in a namespace. */
export type Describe = (namespace: string) => Promise<string>;

/** Ways for a release to stand still, each told in the Canary's conditions and, where there is a kubectl, by `kubectl describe canary` alone. */
export function describeStalls(stageOf: () => Stage, describeCanary?: Describe): void {
  let proxy: ApiProxy;
  let controller: ControllerProcess;
  let teller: Teller;
  let hooks: HookServer;
  const hanging = createServer(() => undefined);
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const stage = stageOf();
    proxy = await startApiProxy(readFileSync(stage.kubeconfigFile, 'utf8'), (method, path) => {
      if (method !== 'GET' && path.includes('/namespaces/rbac/virtualservices')) return 403;
      if (path.includes('/namespaces/config-unwatched/secrets')) return 403;
      if (path.includes('/namespaces/config-unread/configmaps/')) return 403;
      return path.startsWith('/apis/split.smi-spec.io/v1alpha4') ? 404 : undefined;
    });
    const kubeconfigFile = join(mkdtempSync(join(tmpdir(), 'serin-stalls-')), 'kubeconfig');
    writeFileSync(kubeconfigFile, proxy.kubeconfig, { mode: 0o600 });
    controller = startController({ ...stage, kubeconfigFile });
    hooks = await startHookServer();
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    teller = new Teller(stage.cluster);
    await teller.synced;
  });
  afterAll(async () => {
    for (const end of ends) await end();
    teller?.stop();
    await controller?.stop();
    await hooks?.stop();
    hanging.closeAllConnections();
    hanging.close();
    await proxy?.stop();
  });

  const isToldBy = ({ cause, wayOut }: Stall, line: string): boolean => cause.test(line) && wayOut.test(line);
  const theatre = (): Theatre => ({
    cluster: stageOf().cluster,
    teller,
    hooks,
    hangingUrl: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`,
    atEnd: (end) => void ends.push(end),
  });
  const isTold = async (stall: Stall): Promise<void> => {
    const { namespace, cause, wayOut } = stall;
    await teller.until(namespace, 'web', `${cause} and ${wayOut}`, ({ conditions }) =>
      conditions.some(({ message }) => isToldBy(stall, message)),
    );
    if (describeCanary === undefined) return;
    // A release that tries again tells of each attempt in turn, so that one look may come between two.
    const lines = async () => (await describeCanary(namespace)).split('\n');
    await eventually(`kubectl describe tells ${cause} and ${wayOut}`, lines, (all) => all.some((line) => isToldBy(stall, line)));
  };

  const reader = describeCanary === undefined ? 'one condition' : 'kubectl describe canary alone';
  describe.concurrent('a release that stands still', () => {
    it('is tried with at least twenty stalls', () => {
      expect(stalls.length).toBeGreaterThanOrEqual(20);
    });
    it.for(stalls)(`$namespace: ${reader} names the cause and the way out`, async (stall) => {
      await stall.play(theatre());
      await isTold(stall);
    });
  });
  // Alone and last: every Canary of the cluster loses its memory.
  it(`${OUTDATED.namespace}: ${reader} names the cause and the way out, the primary serves on, and the release goes on after it`, async () => {
    const { cluster, mesh } = stageOf();
    const { namespace } = OUTDATED;
    await OUTDATED.play(theatre());
    const users = startUsers(mesh.urls, `web.${namespace}`);
    try {
      const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'web', namespace };
      await cluster.apply(withoutRelease(canaryCrd()));
      await eventually(
        'the Canary has lost its memory',
        async () => (await cluster.get(canary))?.status?.release,
        (release) => release === undefined,
      );
      await push(cluster, namespace, 'web', '2');
      await isTold(OUTDATED);
      const [target, primary, now] = await Promise.all([
        cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace }),
        cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web-primary', namespace }),
        cluster.get(canary),
      ]);
      expect(target?.spec.replicas, 'no release started').toBe(0);
      expect(primary?.spec.template.spec.containers[0].image).toBe('web:1');
      expect(now?.status).toMatchObject({ phase: 'Initialized', canaryWeight: 0 });
      await users.pace(stageOf().mesh.urls.length);
      expect(Object.keys(users.byVersion())).toEqual(['1']);
      await cluster.apply(canaryCrd());
      const told = await teller.until(namespace, 'web', 'success', ({ phase }) => phase === 'Succeeded');
      expect(told.conditions.map(({ type }) => type)).toEqual(['Promoted']);
      expect(users.lost()).toEqual([]);
    } finally {
      await users.stop();
    }
  });
  tellOldDefinitions(stageOf, theatre, isTold);
}

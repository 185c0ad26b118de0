import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControllerProcess, startController } from '../controller.ts';
import type { Environment } from '../environment.ts';
import { startHookServer } from '../hook-server.ts';
import { type Refuse, startApiProxy } from '../troubles/api-proxy.ts';
import { ReportWatch } from '../troubles/report-watch.ts';
import { startUsers } from '../users.ts';
import { world } from '../world.ts';
import { LEFT_ALONE } from './manual-changes.ts';
import { startMeasuredServer } from './measured-server.ts';
import { ABSENT, refusals } from './refusals.ts';
import { APP, type StallFixture } from './stall.ts';

export interface OpenStallFixture extends StallFixture {
  close(): Promise<void>;
}

/** One controller for all stalls, behind a proxy that refuses it something in some namespaces, and all that it calls. */
export async function openStallFixture(environment: Environment, personFile: string): Promise<OpenStallFixture> {
  const granted = new Set<string>();
  const refuse: Refuse = (method, path) => {
    if (path.startsWith(ABSENT) && !granted.has('crd-absent')) return 404;
    const [, namespace = ''] = /\/namespaces\/([^/]+)\//.exec(path) ?? [];
    const refused = refusals.find((one) => one.namespace === namespace && path.includes(`/namespaces/${namespace}${one.path}`));
    if (refused === undefined || granted.has(namespace)) return undefined;
    return refused.methods === 'all' || method !== 'GET' ? refused.code : undefined;
  };
  const ends: (() => Promise<void>)[] = [];
  const proxy = await startApiProxy(readFileSync(environment.kubeconfigFile, 'utf8'), refuse);
  const kubeconfigFile = join(mkdtempSync(join(tmpdir(), 'serin-stalls-')), 'kubeconfig');
  writeFileSync(kubeconfigFile, proxy.kubeconfig, { mode: 0o600 });
  const controller: ControllerProcess = startController(
    { ...environment, kubeconfigFile },
    { 'no-cross-namespace-refs': 'true', 'allowed-hosts': 'route-unconfirmed=web.example.com', 'canary-selector': `!${LEFT_ALONE}` },
  );
  const [hooks, measured] = await Promise.all([startHookServer(), startMeasuredServer()]);
  let isAwake = false;
  const hanging = createServer((request, response) => {
    request.resume();
    if (isAwake) response.end();
  });
  const silence = await world().network.listen(hanging);
  const reports = new ReportWatch(environment.cluster);
  await reports.synced;
  return {
    cluster: environment.cluster,
    kubeconfigFile: personFile,
    reports: reports,
    hooks,
    measured,
    hangingUrl: `${silence.url}/`,
    wake() {
      isAwake = true;
    },
    grant: (namespace) => void granted.add(namespace),
    askFor(namespace) {
      const users = startUsers(environment.mesh.urls, `${APP}.${namespace}`);
      ends.push(() => users.stop());
    },
    atEnd: (end) => void ends.push(end),
    async close() {
      for (const end of ends) await end();
      reports.stop();
      await controller.stop();
      await Promise.all([hooks.stop(), measured.stop(), proxy.stop()]);
      await silence.close(true);
    },
  };
}

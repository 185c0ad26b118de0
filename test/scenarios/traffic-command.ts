import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';
import { setTraffic } from '../../src/cli/traffic/set-traffic.ts';
import { program } from '../fakes/program.ts';
import { raw } from '../fakes/raw.ts';
import type { Environment } from './environment.ts';
import { knativeApplication } from './kinds/knative.ts';
import { APP } from './scenario.ts';
import { until } from './until.ts';

const NAMESPACE = 'by-hand';

/** `serin traffic` on a Knative Service without a Canary. */
export function describeTrafficCommand(environmentOf: () => Environment): void {
  const serin = (...args: string[]): Promise<{ code: number; said: string; complained: string }> =>
    new Promise((resolve) => {
      const all = [program(), 'traffic', ...args, '--plain', '--namespace', NAMESPACE, '--kubeconfig', environmentOf().kubeconfigFile];
      execFile(process.execPath, all, (error, said, complained) =>
        resolve({ code: error === null ? 0 : Number(error.code), said, complained }),
      );
    });

  it('revisions are tagged, split and shown by hand, and a mistake names its flag', async () => {
    const { cluster } = environmentOf();
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    const app = knativeApplication(cluster, NAMESPACE);
    await app.create();
    const service = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: APP, namespace: NAMESPACE };
    const inForce = (what: string, shares: string) =>
      until(cluster, service, what, (now) => {
        const traffic: { revisionName?: string; percent?: number; tag?: string }[] = raw(now)?.status?.traffic ?? [];
        return traffic.map(({ revisionName, percent, tag = '' }) => `${revisionName}=${percent} ${tag}`.trim()).join(', ') === shares;
      });
    const image = ['--image', `${APP}:2`];
    const set = await serin('set', APP, '--tag', `${APP}-00001=stable`, '--traffic', 'stable=90,@latest=10', ...image);
    expect(set).toMatchObject({ code: 0, complained: '' });
    expect(set.said).toMatch(/@latest +\[#-+\] 10%/);
    // The latest is the revision that this very command made.
    await inForce('splits', `${APP}-00002=10, ${APP}-00001=90 stable`);
    const shown = await serin('show', APP);
    expect(shown.said).toMatch(/podinfo-00002 \(@latest\) +\[#-+\] 10%/);
    expect(shown.said).toMatch(/podinfo-00001 +\[#+-\] 90% +stable/);
    expect(await serin('set', APP, '--untag', 'absent')).toEqual({
      code: 64,
      said: '',
      complained: 'Error: --untag absent: no revision of this Service has this tag\n',
    });
    await setTraffic(cluster, NAMESPACE, APP, { untag: ['stable'], traffic: ['@latest=100'] });
    await inForce('is on its latest', `${APP}-00002=100`);
  });
}

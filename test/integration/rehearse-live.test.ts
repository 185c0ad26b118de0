import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crds } from '../../src/api/crds.ts';
import { exitCodes } from '../../src/cli/output/exit-codes.ts';
import { RehearsalReport } from '../../src/cli/rehearse/rehearsal-report.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import type { Raw } from '../fakes/raw.ts';
import { example } from '../scenarios/rehearsals.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const SECRET = 'pl4nted-secret-of-a-test';

describe('serin rehearse --live', () => {
  let embedded: EmbeddedCluster;
  const folder = mkdtempSync(join(tmpdir(), 'serin-live-'));
  const kubeconfig = join(folder, 'kubeconfig');

  beforeAll(async () => {
    embedded = await startEmbeddedCluster();
    const { cluster } = embedded;
    for (const crd of crds()) await cluster.create(crd);
    const objects = example('config-tracking.yaml', ({ spec }: Raw) => {
      spec.analysis.alerts = [{ name: 'chat', severity: 'info', providerRef: { name: 'chat' } }];
    });
    const metadata = { name: 'chat', namespace: 'test' };
    for (const object of objects) await cluster.apply(object);
    await cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { address: `https://chat.example.com/${SECRET}` } });
    const spec = { type: 'slack', secretRef: { name: 'chat' } };
    await cluster.apply({ apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata, spec });
    writeFileSync(kubeconfig, embedded.kubeconfig);
  });
  afterAll(async () => {
    await embedded?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A process of its own: a rehearsal seals the network of its process. */
  const rehearse = (...args: string[]) =>
    new Promise<{ code: number; said: string; complained: string }>((resolve) => {
      const own = [MAIN, 'rehearse', '--live', '--kubeconfig', kubeconfig, ...args];
      execFile(process.execPath, own, { maxBuffer: 1 << 26 }, (error, said, complained) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, said, complained }),
      );
    });

  it('rehearses the Canary of a cluster with its target and configs, only reads, and never a Secret', async () => {
    const { code, said, complained } = await rehearse('--canary', 'banner', '--namespace', 'test', '-ojson');
    expect(complained).not.toContain('Error');
    const { rehearsals, mistakes } = RehearsalReport.parse(JSON.parse(said));
    expect(mistakes).toEqual([]);
    expect(code).toBe(0);
    expect(rehearsals).toMatchObject([{ namespace: 'test', name: 'banner', verdict: 'promoted' }]);
    const madeUp = rehearsals[0]?.assumptions.filter((text) => text.endsWith('was made up'));
    expect(madeUp).toEqual([expect.stringContaining('Secret chat')]);
    const asked = Object.keys(embedded.requestCounts('serin-cli'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((request) => !/^(GET|get|list)\b/.test(request) || /secrets/.test(request))).toEqual([]);
    expect(said).not.toContain(SECRET);
  });

  it('a Canary that is not there is named', async () => {
    const { code, complained } = await rehearse('--canary', 'shop', '--namespace', 'test');
    expect(code).toBe(exitCodes.notFound.code);
    expect(complained).toContain('shop');
  });
});

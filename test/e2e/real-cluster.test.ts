import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConnection } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import { isForbidden } from '../../src/kube/errors.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const CRDS = join(import.meta.dirname, '..', '..', 'charts', 'serin', 'crds');

describe('a real control plane', () => {
  let real: RealCluster;
  beforeAll(async () => {
    real = await startRealCluster();
  });
  afterAll(() => real?.stop());

  const kubectl = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(real.kubectl, ['--kubeconfig', real.adminKubeconfigFile, ...args])).stdout;

  it('takes our CRDs from kubectl, and again without a change', async () => {
    const first = await kubectl('apply', '--server-side', '-f', CRDS);
    expect(first.trim().split('\n')).toHaveLength(3);
    const versions = () => kubectl('get', 'crd', '-o', 'jsonpath={.items[*].metadata.generation}');
    const before = await versions();
    await kubectl('apply', '--server-side', '-f', CRDS);
    expect(await versions()).toBe(before);
  });

  it('gives the controller what its role says and no more', async () => {
    const serin = createCluster(await loadConnection({ kubeconfig: real.kubeconfigFile }));
    try {
      expect((await serin.list({ apiVersion: 'apps/v1', kind: 'Deployment' })).items).toEqual([]);
      const refused = await serin.list({ apiVersion: 'v1', kind: 'Node' }).catch((error: unknown) => error);
      expect(refused).toSatisfy(isForbidden);
    } finally {
      serin.close();
    }
  });
});

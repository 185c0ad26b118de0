import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConnection } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import { isForbidden } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { tlsFile } from '../fakes/tls-kube-server.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const CRDS = join(import.meta.dirname, '..', '..', 'charts', 'serin', 'files', 'crds');

describe('a real control plane', () => {
  let real: RealCluster;
  beforeAll(async () => {
    real = await startRealCluster();
  });
  afterAll(() => real?.stop());

  const kubectl = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(real.kubectl, ['--kubeconfig', real.adminKubeconfigFile, ...args])).stdout;

  const hasTheRoleOnly = async (serin: KubeCluster): Promise<void> => {
    try {
      expect((await serin.list({ apiVersion: 'apps/v1', kind: 'Deployment' })).items).toEqual([]);
      const refused = await serin.list({ apiVersion: 'v1', kind: 'Node' }).catch((error: unknown) => error);
      expect(refused).toSatisfy(isForbidden);
    } finally {
      serin.close();
    }
  };

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
    await hasTheRoleOnly(serin);
  });

  it('knows the controller by client certificates in files', async () => {
    const kubeconfig = {
      'current-context': 'it',
      clusters: [{ name: 'it', cluster: { server: real.apiUrl, 'certificate-authority': join(real.folder, 'apiserver.crt') } }],
      users: [{ name: 'it', user: { 'client-certificate': tlsFile('client.crt'), 'client-key': tlsFile('client.key') } }],
      contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
    };
    await hasTheRoleOnly(createCluster(await loadConnection({ kubeconfig: JSON.stringify(kubeconfig) })));
  });

  it('knows the controller in a pod by its service account, and refuses a token that it did not give', async () => {
    const { cluster, apiUrl, folder } = real;
    await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'serin', namespace: 'default' } });
    await cluster.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'serin-in-a-pod' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'serin-e2e' },
      subjects: [{ kind: 'ServiceAccount', name: 'serin', namespace: 'default' }],
    });
    const pod = join(folder, 'pod');
    mkdirSync(pod);
    copyFileSync(join(folder, 'apiserver.crt'), join(pod, 'ca.crt'));
    writeFileSync(join(pod, 'namespace'), 'default');
    writeFileSync(join(pod, 'token'), 'unknown');
    const { hostname, port } = new URL(apiUrl);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const serin = createCluster(await loadConnection({ serviceAccountFolder: pod, env }));
    await expect(serin.list({ apiVersion: 'apps/v1', kind: 'Deployment' })).rejects.toThrow('the credentials are not accepted: renew');
    writeFileSync(join(pod, 'token'), await kubectl('create', 'token', 'serin'));
    await hasTheRoleOnly(serin);
  });
});

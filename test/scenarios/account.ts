import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import type { Environment } from './environment.ts';

/** A kubeconfig of an existing service account; the caller removes the folder. */
export async function kubeconfigOf(
  { cluster, kubeconfigFile }: Pick<Environment, 'cluster' | 'kubeconfigFile'>,
  account: { name: string; namespace: string },
): Promise<{ file: string; folder: string; user: string }> {
  const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const { status } = raw((await cluster.raw('POST', path, request)) as KubeObject);
  const kubeconfig = parse(readFileSync(kubeconfigFile, 'utf8'));
  for (const one of kubeconfig.users) one.user = { token: status.token };
  const folder = mkdtempSync(join(tmpdir(), 'serin-account-'));
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, stringify(kubeconfig), { mode: 0o600 });
  return { file, folder, user: `system:serviceaccount:${account.namespace}:${account.name}` };
}

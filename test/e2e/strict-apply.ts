import { expect } from 'vitest';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { until } from '../scenarios/until.ts';
import { runProgram } from './helm.ts';
import type { RealCluster } from './real-cluster.ts';

/** The API server accepts each of these objects in strict mode, without any warning; nothing is written. */
export async function isTakenAsItIs({ kubectl, adminKubeconfigFile }: RealCluster, objects: readonly KubeObject[]): Promise<void> {
  const text = objects.map((object) => stringify(object)).join('---\n');
  const args = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
  const taken = await runProgram(kubectl, args, { KUBECONFIG: adminKubeconfigFile }, text);
  expect(taken.complained).toBe('');
  expect(taken.said.trim().split('\n')).toHaveLength(objects.length);
}

/** Writes a definition, and waits until objects of its kind are served. */
export async function define({ cluster }: RealCluster, crd: KubeObject): Promise<void> {
  await cluster.apply(crd);
  await until(cluster, { apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name }, 'is established', (now) =>
    raw(now)?.status?.conditions?.some(({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True'),
  );
}

/** The pods of a Deployment are taken where the restricted Pod Security Standard is enforced; the same pods without their security context are not. */
export async function fitsRestrictedStandard({ cluster }: RealCluster, deployment: KubeObject): Promise<void> {
  const name = `restricted-${deployment.metadata.name}`;
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default', namespace: name };
  await until(cluster, account, 'is there', (now) => now !== undefined);
  const { metadata, spec } = raw(deployment).spec.template;
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: deployment.metadata.name, namespace: name },
    spec: { ...spec, serviceAccountName: 'default' },
  };
  await expect(cluster.create(pod, { dryRun: true })).resolves.toMatchObject({ kind: 'Pod' });
  const asRoot = { ...pod, spec: { ...raw(pod).spec, containers: [{ ...spec.containers[0], securityContext: {} }] } };
  await expect(cluster.create(asRoot, { dryRun: true })).rejects.toThrow(/violates PodSecurity/);
}

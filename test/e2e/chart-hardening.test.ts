import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { until } from '../scenarios/until.ts';
import { type Helm, startHelm } from './helm.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

interface Mount {
  name: string;
  mountPath: string;
}

describe('the pods and policies of the charts', () => {
  let real: RealCluster;
  let helm: Helm;
  beforeAll(async () => {
    real = await startRealCluster();
    helm = await startHelm();
    await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'serin' } });
    for (const name of ['default', 'serin']) {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', name, namespace: 'serin' };
      if (name === 'serin') await real.cluster.create({ ...account, metadata: { name, namespace: 'serin' } });
      await until(real.cluster, account, 'is there', (now) => now !== undefined);
    }
  });
  afterAll(async () => {
    helm?.stop();
    await real?.stop();
  });

  const find = (objects: readonly KubeObject[], kind: string) => objects.find((object) => object.kind === kind);
  const rendered = async (chart: string, kind: string, values: object = {}) => find(await helm.render(chart, values), kind);
  /** The pod as the API server admits it: with what it adds of its own. */
  const admitted = async (chart: string, values: object = {}): Promise<KubeObject> => {
    const deployment = await rendered(chart, 'Deployment', values);
    const { metadata, spec } = raw(deployment)?.spec.template ?? {};
    return real.cluster.create(
      { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: chart, namespace: 'serin' }, spec },
      { dryRun: true },
    );
  };
  const tokenIn = ({ spec }: Raw) => {
    const mounts = spec.containers[0].volumeMounts.filter(({ mountPath }: Mount) => mountPath === TOKEN_FOLDER);
    const volume = spec.volumes.find(({ name }: Mount) => name === mounts[0]?.name);
    return { mounts: mounts.length, isReadOnly: mounts[0]?.readOnly, sources: volume?.projected?.sources };
  };

  it.each([
    { values: {}, expirationSeconds: 3600 },
    { values: { serviceAccount: { tokenExpirationSeconds: 600 } }, expirationSeconds: 600 },
  ])('the token of Serin expires after $expirationSeconds s, and the API server adds no other', async ({ values, expirationSeconds }) => {
    const { mounts, isReadOnly, sources } = tokenIn(await admitted('serin', values));
    expect([mounts, isReadOnly]).toEqual([1, true]);
    expect(sources).toContainEqual({ serviceAccountToken: { path: 'token', expirationSeconds } });
    expect(sources).toContainEqual({ configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } });
  });

  it('a token that the user mounts takes the place of it', async () => {
    const own = { name: 'own', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 7200 } }] } };
    const additionalVolumeMounts = [{ name: 'own', mountPath: TOKEN_FOLDER, readOnly: true }];
    const { mounts, sources } = tokenIn(await admitted('serin', { additionalVolumes: [own], additionalVolumeMounts }));
    expect(mounts).toBe(1);
    expect(sources).toEqual(own.projected.sources);
  });

  it.each([
    { chart: 'serin', automount: true },
    { chart: 'loadtester', automount: false },
  ])(
    '$chart: the pod says whether it has a token, shares nothing with its node, and has no addresses of Services in its environment',
    async ({ chart, automount }) => {
      const { spec } = raw(await admitted(chart));
      expect(spec).toMatchObject({ automountServiceAccountToken: automount, enableServiceLinks: false });
      for (const shared of ['hostNetwork', 'hostPID', 'hostIPC']) expect(spec[shared] ?? false).toBe(false);
      expect(spec.volumes.flatMap((volume: object) => Object.keys(volume))).not.toContain('hostPath');
      for (const container of spec.containers) {
        expect(container.securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' });
        expect(container.resources.limits.memory).toBeTruthy();
      }
    },
  );

  it('an upgrade that keeps the values of a chart that had fewer of them takes no right and no token away', async () => {
    const older = {
      kinds: null,
      configTracking: { takeOver: null },
      secrets: { names: null, namespaces: null },
      serviceAccount: { tokenExpirationSeconds: null },
    };
    for (const kind of ['ClusterRole', 'Deployment']) expect(await rendered('serin', kind, older)).toEqual(await rendered('serin', kind));
  });

  it('by default only the port of Serin and the ports of sidecars can be reached, on which nothing listens without a sidecar', async () => {
    const policy = await rendered('serin', 'NetworkPolicy');
    expect(raw(policy)?.spec.policyTypes).toEqual(['Ingress']);
    const [{ ports, from }, ...others] = raw(policy)?.spec.ingress ?? [];
    expect([from, others]).toEqual([undefined, []]);
    const numbers = ports.map(({ port }: { port: number }) => port);
    const pod = raw(await rendered('serin', 'Deployment'))?.spec.template;
    expect(numbers[0]).toBe(pod.spec.containers[0].ports[0].containerPort);
    // Linkerd's inbound and metrics; Istio's ambient mode, merged metrics and Envoy's.
    expect(numbers).toEqual(expect.arrayContaining([4143, 4191, 15008, 15020, 15090]));
    expect(pod.metadata.labels).toMatchObject(raw(policy)?.spec.podSelector.matchLabels);
  });

  it('without ports of sidecars there is one port, and without the policy none', async () => {
    const policy = await rendered('serin', 'NetworkPolicy', { networkPolicy: { meshPorts: [] } });
    expect(raw(policy)?.spec.ingress).toEqual([{ ports: [{ port: 8080, protocol: 'TCP' }] }]);
    expect(await rendered('serin', 'NetworkPolicy', { networkPolicy: { enabled: false } })).toBeUndefined();
  });

  it('the load tester has a policy only if it is enabled: policies add up, and a policy open to everyone would undo a narrower one', async () => {
    expect(await rendered('loadtester', 'NetworkPolicy')).toBeUndefined();
    const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'serin' } } }];
    const policy = await rendered('loadtester', 'NetworkPolicy', { networkPolicy: { enabled: true, from } });
    const [{ ports, from: callers }] = raw(policy)?.spec.ingress ?? [];
    expect(callers).toEqual(from);
    expect(ports.map(({ port }: { port: number }) => port)).toEqual(expect.arrayContaining([8080, 4143, 15008]));
  });
});

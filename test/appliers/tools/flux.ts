import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { moduleSources } from '../../../scripts/e2e-go-tool.ts';
import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { objectsIn } from '../../e2e/helm.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../../scenarios/guarded-process.ts';
import { until } from '../../scenarios/until.ts';
import type { Applied, Applier } from '../applier.ts';
import type { CommandLine } from './command-line.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'e2e', 'binaries', 'kustomize-controller');
const SOURCE = 'source.toolkit.fluxcd.io';
const run = promisify(execFile);

export interface Flux {
  /** `ignore`: rules of the Kustomization. `policy`: how its manifests are applied. */
  applier(known: Pick<Applier, 'id' | 'name' | 'isRemedy'>, settings?: { ignore?: readonly object[]; policy?: string }): Applier;
  stop(): Promise<void>;
}

/** kustomize-controller, with a server that replaces source-controller and serves the content of a source. */
export async function startFlux(program: string, cluster: KubeCluster, { kubeconfig, folder }: CommandLine): Promise<Flux> {
  const from = await moduleSources(FOLDER, 'github.com/fluxcd/kustomize-controller', 'the resource definition of Flux comes');
  const [crd] = objectsIn(readFileSync(join(from, 'config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml'), 'utf8'));
  for (const one of [crd as KubeObject, ...sourceCrds()]) {
    await cluster.apply(one);
    const isEstablished = (now: KubeObject | undefined) =>
      raw(now)?.status?.conditions?.some(({ type, status }: Raw) => type === 'Established' && status === 'True');
    await until(cluster, refOf(one), 'is established', isEstablished);
  }
  const archives = new Map<string, Buffer>();
  const server = createServer(({ url = '' }, response) => response.end(archives.get(url)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const flags = ['--metrics-addr=127.0.0.1:0', '--health-addr=127.0.0.1:0', '--enable-leader-election=false', '--watch-all-namespaces'];
  const process = await started(() =>
    startGuarded('kustomize-controller', [program, ...flags], join(folder, 'flux.log'), {
      ...globalThis.process.env,
      ...{ KUBECONFIG: kubeconfig, RUNTIME_NAMESPACE: 'default' },
    }),
  );

  async function serve(namespace: string, manifests: readonly KubeObject[]): Promise<object> {
    const dir = mkdtempSync(join(folder, 'source-'));
    mkdirSync(join(dir, 'shop'));
    writeFileSync(join(dir, 'shop', 'all.yaml'), manifests.map((one) => JSON.stringify(one)).join('\n---\n'));
    await run('tar', ['-czf', join(dir, 'all.tar.gz'), '-C', dir, 'shop']);
    const archive = readFileSync(join(dir, 'all.tar.gz'));
    const sha256 = createHash('sha256').update(archive).digest('hex');
    archives.set(`/${namespace}/${sha256}.tar.gz`, archive);
    return {
      ...{ digest: `sha256:${sha256}`, revision: `main@sha1:${sha256.slice(0, 40)}`, lastUpdateTime: new Date().toISOString() },
      ...{ path: `${namespace}/${sha256}.tar.gz`, url: `${url}/${namespace}/${sha256}.tar.gz`, size: archive.length },
    };
  }

  return {
    applier: (known, { ignore, policy } = {}) => {
      let times = 0;
      return {
        ...known,
        async apply(namespace, manifests): Promise<Applied> {
          const annotations = policy && { 'kustomize.toolkit.fluxcd.io/ssa': policy };
          const annotated = manifests.map((one) =>
            annotations && one.kind !== 'Deployment' ? { ...one, metadata: { ...one.metadata, annotations } } : one,
          );
          const artifact = await serve(namespace, annotated);
          const requestedAt = `${Date.now()}-${times++}`;
          const source = { apiVersion: `${SOURCE}/v1`, kind: 'GitRepository', metadata: { name: 'shop', namespace } };
          await cluster.apply({ ...source, spec: { interval: '1h', url: 'https://git.example.org/shop' } } as KubeObject);
          const conditions = [
            { type: 'Ready', status: 'True', reason: 'Served', message: '', lastTransitionTime: new Date().toISOString() },
          ];
          await cluster.patch(
            { ...source, name: 'shop', namespace },
            { status: { artifact, conditions, observedGeneration: 1 } },
            { subresource: 'status' },
          );
          const kustomization = {
            apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
            kind: 'Kustomization',
            metadata: { name: 'shop', namespace, annotations: { 'reconcile.fluxcd.io/requestedAt': requestedAt } },
            spec: {
              ...{ interval: '1h', retryInterval: '1h', prune: true, path: './shop', sourceRef: { kind: 'GitRepository', name: 'shop' } },
              ...(ignore && { ignore }),
            },
          } as KubeObject;
          await cluster.apply(kustomization);
          const handled = await eventually(
            `Flux applies ${namespace}`,
            () => cluster.get({ apiVersion: kustomization.apiVersion, kind: 'Kustomization', name: 'shop', namespace }),
            (one) => raw(one)?.status?.lastHandledReconcileAt === requestedAt && ['True', 'False'].includes(readyOf(one)?.status ?? ''),
            () => process.logTail(),
          );
          const ready = readyOf(handled);
          return { isApplied: ready?.status === 'True', said: ready?.status === 'True' ? '' : (ready?.message ?? '') };
        },
      };
    },
    async stop() {
      await process.stop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const readyOf = (object: KubeObject | undefined): { status: string; message: string } | undefined =>
  raw(object)?.status?.conditions?.find(({ type }: { type: string }) => type === 'Ready');

/** It needs its resource definitions, and reads them as it starts. */
async function started(start: () => GuardedProcess): Promise<GuardedProcess> {
  const process = start();
  await eventually('kustomize-controller has started', () => {
    if (process.hasExited()) throw new Error(process.logTail());
    return process.logTail().includes('Starting workers');
  });
  return process;
}

/** Kinds of sources that kustomize-controller watches, with any fields that source-controller writes. */
function sourceCrds(): KubeObject[] {
  const kinds = {
    GitRepository: 'gitrepositories',
    OCIRepository: 'ocirepositories',
    Bucket: 'buckets',
    ExternalArtifact: 'externalartifacts',
  };
  return Object.entries(kinds).map(
    ([kind, plural]) =>
      ({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.${SOURCE}` },
        spec: {
          group: SOURCE,
          names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
          scope: 'Namespaced',
          versions: [
            {
              ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      }) as unknown as KubeObject,
  );
}

import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { seededRandom } from '../../../src/embedded/mesh/random.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { eventually } from '../eventually.ts';
import { sleep } from '../world.ts';
import type { App } from './app.ts';
import type { Lab } from './lab.ts';

const MANAGER = 'gitops';
const LATEST_MS = 1_000;

export interface SelfHealer {
  /** Its own writes by `Kind/name`. */
  writes(): Record<string, number>;
  /** Resolves when it has put this object back for the first time; the error after the bound says what it did instead. */
  hasHealed(key: string): Promise<void>;
  /** resourceVersions of its own writes. */
  versions(): ReadonlySet<string>;
  /** Errors of its writes, for messages. */
  errors(): string[];
  stop(): Promise<void>;
}

/** Manifests in Git: three replicas, all traffic to the primary, and the original selector of the application. */
export async function declaredBy(app: App, lab: Lab): Promise<KubeObject[]> {
  const route = await lab.cluster.get(app.route);
  const service = await lab.cluster.get(app.service);
  const metadata = { name: app.name, namespace: lab.namespace };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 3 } },
    { ...app.route, metadata, spec: { http: raw(route)?.spec.http } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: app.name }, ports: raw(service)?.spec.ports } },
  ].map(({ apiVersion, kind, metadata: { name, namespace }, spec }) => ({ apiVersion, kind, metadata: { name, namespace }, spec }));
}

/** A GitOps tool with self-healing: it always reverts differences from the declared objects within a second. */
export async function startSelfHealer(cluster: Cluster, declared: readonly KubeObject[], seed: number): Promise<SelfHealer> {
  const random = seededRandom(seed);
  const counts: Record<string, number> = {};
  const versions = new Set<string>();
  const errors: string[] = [];
  const life = new AbortController();
  const healing = new Set<string>();
  const under: Promise<void>[] = [];

  const heal = async (wanted: KubeObject, key: string, ref: ObjectRef) => {
    try {
      await sleep(random() * LATEST_MS, life.signal);
      healing.delete(key);
      const before = await cluster.get(ref);
      if (!before || !differs(wanted, before)) return;
      const answer = await cluster.apply(wanted, { fieldManager: MANAGER, force: true, signal: life.signal });
      counts[key] = (counts[key] ?? 0) + 1;
      versions.add(String(answer.metadata.resourceVersion));
    } catch (error) {
      if (!life.signal.aborted) errors.push(`${key}: ${String(error)}`);
    }
  };
  const watches = declared.map((wanted) => {
    const { apiVersion, kind } = wanted;
    const { name, namespace = '' } = wanted.metadata;
    const key = `${kind}/${name}`;
    const look = (live: KubeObject) => {
      if (live.metadata.name !== name || healing.has(key) || life.signal.aborted || !differs(wanted, live)) return;
      healing.add(key);
      under.push(heal(wanted, key, { apiVersion, kind, name, namespace }));
    };
    return cluster.watch(
      { apiVersion, kind, namespace },
      { onEvent: ({ type, object }) => type !== 'DELETED' && look(object), onList: (items) => items.forEach(look) },
    );
  });
  await Promise.all(watches.map(({ synced }) => synced));
  return {
    writes: () => ({ ...counts }),
    async hasHealed(key) {
      await eventually(
        `${key} was put back`,
        () => counts[key] !== undefined,
        Boolean,
        () => JSON.stringify({ counts, errors }),
      );
    },
    versions: () => versions,
    errors: () => [...errors],
    async stop() {
      life.abort();
      for (const watch of watches) watch.stop();
      await Promise.all(under);
    },
  };
}

function differs({ spec: wanted }: Raw, { spec: live }: Raw): boolean {
  return Object.entries(wanted).some(([field, value]) => !isDeepStrictEqual(value, live[field]));
}

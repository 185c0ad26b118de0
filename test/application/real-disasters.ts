import { type KubeObject, type ObjectRef, refOf } from '../../src/api/kube-object.ts';
import { isConflict, isForbidden, isNotFound } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { Backup, type Restore } from '../fakes/model/backup.ts';
import { raw } from '../fakes/raw.ts';
import { meaningOf, type Removal } from './disasters.ts';
import type { Life } from './life.ts';
import { APP, versionOf } from './real-application.ts';
import type { Acted } from './world.ts';

type Pass = (ms: number) => Promise<void>;

const CANARIES = 'canaries.flagger.app';
const MESH = {
  istio: ['virtualservices.networking.istio.io', 'destinationrules.networking.istio.io'],
  'smi:v1alpha2': ['trafficsplits.split.smi-spec.io'],
} as const;
/** Kinds that a backup of the namespace has. */
const KINDS = [
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'ControllerRevision' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'DestinationRule' },
  { apiVersion: 'split.smi-spec.io/v1alpha2', kind: 'TrafficSplit' },
];
/** Made of them by controllers. */
const RUNNING = [
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'v1', kind: 'Pod' },
];
/** A namespace or a definition that does not end by then is not waited for. */
const LONGEST_END_MS = 90_000;
const LOOK_MS = 250;

/** Actions of an administrator of a real control plane on the namespace of a life, or on the cluster. */
export class RealDisasters {
  readonly #cluster: KubeCluster;
  readonly #namespace: string;
  readonly #life: Pick<Life, 'provider'>;
  #backup: Backup | undefined;

  constructor(cluster: KubeCluster, namespace: string, life: Pick<Life, 'provider'>) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#life = life;
  }

  async backUp(): Promise<void> {
    this.#backup = new Backup(await this.#all());
  }

  /** Removes definitions for all namespaces: no other life can be played at the same time. Returns false if there are no definitions to remove. */
  async removeDefinitions({ of, forMs }: Removal, pass: Pass): Promise<boolean> {
    const { provider = 'istio' } = this.#life;
    const named = of === 'Serin' ? [CANARIES] : (MESH[provider as keyof typeof MESH] ?? []);
    const refs = named.map((name): ObjectRef => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name }));
    const found = (await Promise.all(refs.map((ref) => this.#cluster.get(ref)))).flatMap((crd) => crd ?? []);
    for (const crd of found) await this.#cluster.delete(refOf(crd));
    await pass(forMs);
    for (const crd of found) {
      await this.#gone(refOf(crd), pass);
      const { apiVersion, kind, metadata, spec } = crd;
      await this.#cluster.apply({ apiVersion, kind, metadata: { name: metadata.name }, spec: spec as object });
      for (let ms = 0; ms < LONGEST_END_MS && !isEstablished(await this.#cluster.get(refOf(crd))); ms += LOOK_MS) await pass(LOOK_MS);
    }
    return found.length > 0;
  }

  async restore(restore: Restore, pass: Pass, makeNamespace: () => Promise<void>): Promise<Acted | undefined> {
    const backup = this.#backup;
    if (backup === undefined) return undefined;
    const home: ObjectRef = { apiVersion: 'v1', kind: 'Namespace', name: this.#namespace };
    const before = await this.#application();
    const wasThere = before.target !== undefined || before.isGuarded;
    if (restore.lost === 'all') {
      await this.#cluster.delete(home);
      if (!(await this.#gone(home, pass))) return { isTaken: true };
      await makeNamespace();
    }
    if (restore.lost === 'Canary') await this.#loseCanaries();
    for (const object of backup.objects(restore)) {
      await pass(restore.gapMs);
      await this.#putBack(object, backup, restore);
    }
    // An object without its owner exists for a moment, and is not part of the restored state.
    if (restore.keeps === 'owners') await this.#collected(pass);
    return meaningOf(restore, { ...(await this.#application()), wasThere, backup });
  }

  async #application(): Promise<{ target: string | undefined; isGuarded: boolean }> {
    const canaries = await this.#listed({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' });
    const target = await this.#cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace: this.#namespace });
    return { target: versionOf(target), isGuarded: canaries.length > 0 };
  }

  /** Serin can create or write the object at the same time: like a backup tool, this skips conflicts. */
  async #putBack(object: KubeObject, backup: Backup, restore: Restore): Promise<void> {
    const ref = refOf(object);
    try {
      const live = await this.#cluster.get(ref);
      if (live === undefined) {
        await this.#cluster.create(object);
        const status = backup.statusOf(ref, restore);
        if (status) await this.#cluster.patch(ref, { status: { ...status } }, { subresource: 'status' });
      } else if (restore.lost === 'nothing') await this.#cluster.apply(object, { fieldManager: 'velero', force: true });
    } catch (error) {
      if (!isConflict(error) && !isForbidden(error) && !isNotFound(error)) throw error;
    }
  }

  /** Removes Canaries without a deletion that Serin would finish. */
  async #loseCanaries(): Promise<void> {
    for (const canary of await this.#listed({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' })) {
      await this.#cluster.patch(refOf(canary), { metadata: { finalizers: null } });
      await this.#cluster.delete(refOf(canary));
    }
  }

  async #all(): Promise<KubeObject[]> {
    return (await Promise.all(KINDS.map((kind) => this.#listed(kind)))).flat();
  }

  /** Objects of a kind; none if the kind is not served. */
  async #listed(kind: { apiVersion: string; kind: string }): Promise<KubeObject[]> {
    try {
      const { items } = await this.#cluster.list({ ...kind, namespace: this.#namespace });
      return items.map((item) => ({ ...item, ...kind }));
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  /** Waits until the garbage collector has deleted all objects whose owners are gone. Until then they only exist by chance. */
  async #collected(pass: Pass): Promise<void> {
    for (let ms = 0; ms < LONGEST_END_MS; ms += LOOK_MS) {
      const all = (await Promise.all([...KINDS, ...RUNNING].map((kind) => this.#listed(kind)))).flat();
      const uids = new Set(all.map(({ metadata }) => metadata.uid));
      const isLeft = ({ metadata: { ownerReferences = [] } }: KubeObject) =>
        ownerReferences.length > 0 && ownerReferences.every(({ uid }) => !uids.has(uid));
      if (!all.some(isLeft)) return;
      await pass(LOOK_MS);
    }
  }

  async #gone(ref: ObjectRef, pass: Pass): Promise<boolean> {
    for (let ms = 0; ms < LONGEST_END_MS; ms += LOOK_MS) {
      if ((await this.#cluster.get(ref)) === undefined) return true;
      await pass(LOOK_MS);
    }
    return false;
  }
}

const isEstablished = (crd: KubeObject | undefined): boolean =>
  (raw(crd)?.status?.conditions ?? []).some(
    ({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True',
  );

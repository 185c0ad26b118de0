import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { refOf } from '../../../src/api/kube-object.ts';
import { keptAnnotation } from '../../../src/api/names.ts';
import { raw } from '../raw.ts';
import { NAMESPACE, namespaceRef } from './lab.ts';
import type { ModelServer } from './server.ts';

export interface Restore {
  /** Objects lost before the restore: all, or only the Canary. `nothing`: the existing objects are set back to the backup. */
  lost: 'all' | 'Canary' | 'nothing';
  /** Velero drops status and owners; of listed kinds it restores the status. A dump that is created again has its owners, which are gone. */
  keeps: 'neither' | 'status' | 'owners';
  /** Velero restores in the order of resource names: Canaries, then ControllerRevisions, then Deployments. */
  order: 'by name' | 'Canary last' | 'target first';
  /** Between two objects. */
  gapMs: number;
}

/** A namespace that does not end by then is not waited for. */
const LONGEST_END_MS = 120_000;
const LOOK_MS = 250;
/** Controllers make them of the others, or they last for seconds. */
const LEFT_OUT = new Set(['Event', 'Lease', 'Pod', 'ReplicaSet', 'Endpoints', 'EndpointSlice', 'Revision', 'ServiceAccount']);
/** `kube-root-ca.crt` is made in each namespace. */
const isLeftOut = ({ kind, metadata }: KubeObject): boolean => LEFT_OUT.has(kind) || metadata.name === 'kube-root-ca.crt';

/** Goes first in Velero's list of priorities, of the kinds that are here. */
const FIRST = ['secrets', 'configmaps'];

/** Objects of a namespace at one moment. */
export class Backup {
  /** Backs up the modelled namespace. */
  static of(server: ModelServer): Backup {
    const { store } = server.api;
    const all = store.storeKeys().flatMap((key) => store.list(key).map(([, stored]) => stored));
    return new Backup(all.filter(({ metadata }) => metadata.namespace === NAMESPACE));
  }

  readonly #objects: readonly KubeObject[];

  constructor(objects: readonly KubeObject[]) {
    this.#objects = structuredClone(objects.filter((object) => !isLeftOut(object)));
  }

  /** The target's version was kept from users, or was still to be analysed: restoring it is not a push. */
  get isGuarded(): boolean {
    return this.#objects.some(({ kind, metadata, status }) => {
      if (kind !== 'Canary') return metadata.annotations?.[keptAnnotation] !== undefined;
      const { phase = '' } = (status ?? {}) as { phase?: string };
      return !['', 'Initializing'].includes(phase);
    });
  }

  /** Each as the tool creates it, in its order. */
  objects({ keeps, order }: Pick<Restore, 'keeps' | 'order'>): KubeObject[] {
    return this.#objects
      .map((object) => ({ rank: rankOf(object, order), object: asCreated(object, keeps) }))
      .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
      .map(({ object }) => object);
  }

  /** Status of a Canary, if the tool restores it. */
  statusOf(ref: ObjectRef, { keeps }: Pick<Restore, 'keeps'>): object | undefined {
    if (keeps !== 'status' || ref.kind !== 'Canary') return undefined;
    const found = this.#objects.find((object) => object.kind === ref.kind && refOf(object).name === ref.name);
    return raw(found)?.status;
  }
}

/** Restores into the modelled cluster. Returns false if the namespace to be replaced did not end. */
export async function restoreInto(
  server: ModelServer,
  backup: Backup,
  restore: Restore,
  pass: (ms: number) => Promise<void>,
): Promise<boolean> {
  if (restore.lost === 'all') {
    server.delete(namespaceRef);
    for (let ms = 0; ms < LONGEST_END_MS && server.find(namespaceRef); ms += LOOK_MS) await pass(LOOK_MS);
    if (server.find(namespaceRef)) return false;
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  }
  if (restore.lost === 'Canary') loseCanaries(server);
  for (const object of backup.objects(restore)) {
    await pass(restore.gapMs);
    if (!server.serves(object) || server.find(namespaceRef) === undefined) continue;
    const ref = refOf(object);
    const live = server.find(ref);
    if (live === undefined) {
      server.create(object);
      const status = backup.statusOf(ref, restore);
      if (status) server.patch(ref, { status }, 'status');
    } else if (restore.lost === 'nothing') {
      const { resourceVersion } = live.metadata;
      server.putAs('velero', { ...object, metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) } });
    }
  }
  return true;
}

/** Removes Canaries without a deletion that Serin would finish. */
function loseCanaries(server: ModelServer): void {
  for (const [, canary] of server.api.store.list('flagger.app/canaries')) {
    server.patch(refOf(canary), { metadata: { finalizers: null } });
    server.delete(refOf(canary));
  }
}

/** Source: velero pkg/restore/restore.go, `resetMetadata` and `resetStatus`; an API server drops the rest of it by itself. */
function asCreated(object: KubeObject, keeps: Restore['keeps']): KubeObject {
  const { status: _, ...rest } = structuredClone(object);
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = object.metadata;
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
    ...(ownerReferences && keeps === 'owners' && { ownerReferences }),
  };
  const { clusterIP: _ip, clusterIPs: _ips, ...spec } = (rest.spec ?? {}) as Record<string, unknown>;
  return { ...rest, metadata, ...(rest.spec !== undefined && { spec: object.kind === 'Service' ? spec : rest.spec }) };
}

function rankOf({ kind, apiVersion, metadata: { name } }: KubeObject, order: Restore['order']): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  const resource = `${kind.toLowerCase()}s${group}`;
  const isMoved = (order === 'Canary last' && kind === 'Canary') || (order === 'target first' && kind === 'Deployment');
  const place = isMoved ? (order === 'Canary last' ? 9 : 0) : FIRST.includes(resource) ? 1 : 2;
  return `${place} ${resource} ${name}`;
}

import type { NewBlocker } from '../../api/blocker.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { saltName } from '../../api/names.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ApiError, isAlreadyExists, isForbidden } from '../../kube/errors.ts';
import { anchorReference } from '../../workloads/anchor.ts';
import { configObjectRef } from '../../workloads/configs/config-ref.ts';
import { copiesInUse } from '../../workloads/configs/copies.ts';
import { secretsPolicy, unreadableConfig } from '../../workloads/configs/read-configs.ts';
import type { SecretMarks } from '../../workloads/configs/read-marks.ts';
import { readSalt, Salt, saltIdOf, saltType } from '../../workloads/configs/salt.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { ControllerConfig } from '../config.ts';
import type { Log } from '../log.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import { type AnchorOwner, ownerKey } from './anchor-owner.ts';
import type { Anchors } from './anchors.ts';

/** Number of words, of 64 bits each. */
const WORDS = 4;

interface SaltDeps {
  cluster: Pick<Cluster, 'get' | 'create' | 'delete'>;
  anchors: Pick<Anchors, 'existing'>;
  view: Pick<ClusterView, 'find'>;
  config: ControllerConfig;
  log: Pick<Log, 'warn'>;
  word(): string;
}

interface Known {
  salt: Salt;
  /** Ids in the status for which the stored salt was looked for. */
  soughtFor: ReadonlySet<string>;
  isStored: boolean;
  isReported?: boolean;
}

/**
 * The salt of each Canary, by which checksums of its Secrets are made. It is read when a Secret is to be compared, drawn if none exists that the status refers
 * to, and stored once a status does. An idle Canary reads none.
 */
export class SecretSalts {
  readonly #deps: SaltDeps;
  readonly #known = new Map<string, Known>();

  constructor(deps: SaltDeps) {
    this.#deps = deps;
  }

  /** Marks by which the Secrets of this Canary are compared, or the problem that hides them now. */
  async of(canary: Canary, signal: AbortSignal): Promise<SecretMarks | { problem: NewBlocker }> {
    const { revision, promotedRevision } = canary.status?.release ?? {};
    const wanted = saltIdsIn(canary);
    const known = this.#known.get(ownerKey(canary));
    const isCurrent = known !== undefined && (wanted.has(known.salt.id) || wanted.isSubsetOf(known.soughtFor));
    try {
      const { salt } = isCurrent ? known : await this.#find(canary, wanted, signal);
      return { salt, isPromoted: revision === promotedRevision, copyOf: (name) => this.#copyOf(canary, name, signal) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { namespace } = canary.metadata;
      return { problem: unreadableConfig({ kind: 'Secret', name: saltName(canary) }, namespace, error) };
    }
  }

  /**
   * Stores the salt that this status was written with, once an anchor exists to own it. It follows the status: a release waits for no unneeded write, and a
   * salt that a crash in between loses is handled like any lost salt.
   */
  async store(canary: Canary, signal: AbortSignal): Promise<void> {
    const known = this.#known.get(ownerKey(canary));
    if (known === undefined || known.isStored || !saltIdsIn(canary).has(known.salt.id) || !this.#mayRead(canary)) return;
    const anchor = await this.#deps.anchors.existing(canary, signal);
    if (anchor === undefined) return;
    try {
      await this.#replace(canary, known.salt.render(canary, anchorReference(anchor)), signal);
      known.isStored = true;
    } catch (err) {
      if (signal.aborted) throw signal.reason;
      if (!(err instanceof ApiError)) throw err;
      if (known.isReported) return;
      known.isReported = true;
      const { namespace, name } = canary.metadata;
      this.#deps.log.warn({ canary: `${namespace}/${name}`, err }, 'the salt of the checksums of Secrets cannot be stored');
    }
  }

  /** The heir of an application goes on with its salt: by it the primary is known to hold what the target holds. */
  async inherit(canary: Canary, heir: Canary, anchor: { name: string; uid: string }, signal: AbortSignal): Promise<void> {
    const found = this.#mayRead(canary) && this.#mayRead(heir) ? await this.#read(refOfSalt(canary), signal) : undefined;
    const salt = found && readSalt(found);
    if (salt === undefined) return;
    try {
      await this.#replace(heir, salt.render(heir, anchorReference(anchor)), signal);
    } catch (error) {
      // Then the salt counts as lost.
      if (!(error instanceof ApiError)) throw error;
    }
    this.forget(heir);
  }

  forget(canary: AnchorOwner): void {
    this.#known.delete(ownerKey(canary));
  }

  async #find(canary: Canary, wanted: ReadonlySet<string>, signal: AbortSignal): Promise<Known> {
    const found = this.#mayRead(canary) ? await this.#read(refOfSalt(canary), signal) : undefined;
    const salt = found && readSalt(found);
    const anchor = salt && (await this.#deps.anchors.existing(canary, signal));
    const isOwned = found?.metadata.ownerReferences?.some(({ uid }) => uid === anchor?.uid) ?? false;
    // A salt without a reference in the status can be of another writer, who then knows its bytes. The owner is known only once we have made an anchor.
    const isOurs = salt !== undefined && (wanted.size === 0 ? isOwned : wanted.has(salt.id));
    const known = isOurs
      ? { salt, soughtFor: wanted, isStored: isOwned }
      : { salt: Salt.of(Array.from({ length: WORDS }, () => this.#deps.word())), soughtFor: wanted, isStored: false };
    this.#known.set(ownerKey(canary), known);
    return known;
  }

  /** A forbidden object counts as missing. */
  async #read(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> {
    try {
      return await this.#deps.cluster.get(ref, { signal });
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }

  async #replace(canary: Canary, secret: KubeObject, signal: AbortSignal): Promise<void> {
    const { cluster } = this.#deps;
    try {
      await cluster.create(secret, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const found = await cluster.get(refOfSalt(canary), { signal });
      // Another object under its name is its owner's.
      if (found !== undefined && found.type !== saltType) throw error;
      if (found !== undefined) await cluster.delete(refOfSalt(canary), { signal });
      await cluster.create(secret, { signal });
    }
  }

  async #copyOf(canary: Canary, name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { view, config } = this.#deps;
    const { namespace } = canary.metadata;
    const workload = workloadFor(canary.spec.targetRef);
    if ('unsupported' in workload || secretsPolicy(config, namespace).names.length > 0) return undefined;
    const held = view.find(workload.primaryRef(canary))?.configs ?? [];
    const [inUse] = copiesInUse([{ kind: 'Secret', name, optional: false }], held);
    return inUse && this.#read(configObjectRef({ kind: 'Secret', name: inUse.copy }, namespace), signal);
  }

  /** With Secrets limited by name the operator also names the salt, or it lasts as long as this process. */
  #mayRead(canary: Canary): boolean {
    const { names } = secretsPolicy(this.#deps.config, canary.metadata.namespace);
    return names.length === 0 || names.includes(saltName(canary));
  }
}

const refOfSalt = (canary: Canary): ObjectRef => configObjectRef({ kind: 'Secret', name: saltName(canary) }, canary.metadata.namespace);

function saltIdsIn({ status }: Canary): ReadonlySet<string> {
  return new Set(Object.values(status?.release?.configs ?? {}).flatMap(({ checksum }) => saltIdOf(checksum) ?? []));
}

import { isDeepStrictEqual } from 'node:util';
import { apiVersion, type Canary } from '../../api/canary.ts';
import { type KubeObject, type Labels, refOf } from '../../api/kube-object.ts';
import { anchorName, keepAnnotation, listedRoutesAnnotation, names } from '../../api/names.ts';
import type { JsonRecord } from '../../base/json.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { isAlreadyExists, isForbidden, isNotFound } from '../../kube/errors.ts';
import { isAnchor, readAnchor, recordLabel } from '../../workloads/anchor.ts';
import type { AnchorData, Originals } from '../../workloads/anchor-data.ts';
import { workloadFor } from '../../workloads/index.ts';
import { NameTakenError } from '../errors.ts';
import type { Log } from '../log.ts';
import { acceptedNote, acceptedSpecsIn } from './accepted-specs.ts';
import { anchorOf } from './anchor-of.ts';
import { type AnchorOwner, anchorOwnerOf, atUrgencyOf, identity, isFirst, type NamedOwner, ownerKey } from './anchor-owner.ts';
import { apexOriginal, type Original, recordedApex } from './apex-original.ts';
import { listedIn } from './listed-routes.ts';
import { TemplateRecords } from './template-records.ts';

/** Value of the mark on an anchor that was copied from the Canary or the target, and goes with theirs; any other value is the user's. */
const COPIED = 'copied';

/** Anchors without a running Canary that are read in one namespace; a namespace with more has forged ones, or is read at the next starts. */
export const MOST_ORPHANS = 200;

/** The existing Canaries. */
export interface LivingCanaries {
  /** True for this very Canary, with any current release. */
  isRunning(canary: AnchorOwner & { metadata: { name: string } }): boolean;
  /** True for this Canary, or for another Canary that took over its objects. */
  isInherited(canary: Pick<Canary, 'metadata' | 'spec'>): boolean;
}

/** The application is to serve on when its target and Canary are both gone. */
export function isPrimaryKept(anchor: KubeObject): boolean {
  const mark = anchor.metadata.annotations?.[keepAnnotation];
  return mark === 'true' || mark === COPIED;
}

/** The anchor of each Canary, which is read when a release needs it, and not watched: an idle Canary reads none. */
export class Anchors {
  readonly templates: TemplateRecords;
  readonly #cluster: Cluster;
  readonly #known = new Map<string, KubeObject>();
  /** Canaries whose anchor has a copied mark. */
  readonly #kept = new Set<string>();
  /** The version that was reported as unreadable, by anchor. */
  readonly #reported = new Map<string, string>();
  readonly #log: Pick<Log, 'warn'>;

  constructor(cluster: Cluster, historyLimit: number, log: Pick<Log, 'warn'>) {
    this.#cluster = cluster;
    this.#log = log;
    this.templates = new TemplateRecords(cluster, historyLimit, (canary, signal) => this.#find(canary, signal));
  }

  /** The anchor. A missing one is made with the target's current values, before anything of the target is changed. */
  ensure(canary: Canary, target: KubeObject, signal: AbortSignal): Promise<{ name: string; uid: string }> {
    return this.reference(canary, signal, async () => target);
  }

  async #make(canary: Canary, target: KubeObject, signal: AbortSignal): Promise<KubeObject> {
    const workload = workloadFor(canary.spec.targetRef);
    const cluster = atUrgencyOf(canary, this.#cluster);
    const apex = await cluster.get(
      { apiVersion: 'v1', kind: 'Service', name: names(canary).apexService, namespace: canary.metadata.namespace },
      { signal },
    );
    const originals = {
      target: 'unsupported' in workload ? { replicas: 1 } : workload.originals(target),
      ...(apex && { apexService: apexOriginal(apex) }),
    };
    const anchor = anchorOf(canary, originals);
    try {
      const created = await cluster.create(anchor, { signal });
      this.#known.set(ownerKey(canary), created);
      this.templates.begin(canary);
      return created;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const found = await this.#find(canary, signal);
      if (!found) throw new NameTakenError(refOf(anchor), { canBeAdopted: false });
      return found;
    }
  }

  /** The anchor of a Canary that takes over the primary of a deleted one, with the same originals. After a crash, the existing anchor. */
  async inherit(heir: Canary, originals: Omit<Originals, 'canary'>, signal: AbortSignal): Promise<{ name: string; uid: string }> {
    const anchor = anchorOf(heir, originals);
    try {
      return identity(await this.#cluster.create(anchor, { signal }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const found = await this.#cluster.get(refOf(anchor), { signal });
      if (!found || !isAnchor(found)) throw new NameTakenError(refOf(anchor), { canBeAdopted: false });
      return identity(found);
    }
  }

  /** The anchor's identity, `undefined` without an anchor. */
  async existing(canary: NamedOwner, signal: AbortSignal): Promise<{ name: string; uid: string } | undefined> {
    const known = await this.#find(canary, signal);
    return known && identity(known);
  }

  /**
   * The anchor's identity for owner references; made on the spot for objects that come before the primary. That of a new Canary is not looked for:
   * the server refuses a second one. `readTarget`: the target as the server holds it.
   */
  async reference(
    canary: Canary,
    signal: AbortSignal,
    readTarget?: () => Promise<KubeObject | undefined>,
  ): Promise<{ name: string; uid: string }> {
    const known = isFirst(canary) ? this.#known.get(ownerKey(canary)) : await this.#find(canary, signal);
    if (known) return identity(known);
    const { namespace } = canary.metadata;
    const { targetRef } = canary.spec;
    const target = await (readTarget ? readTarget() : atUrgencyOf(canary, this.#cluster).get({ ...targetRef, namespace }, { signal }));
    const substitute = { ...targetRef, metadata: { name: targetRef.name }, spec: { replicas: 1 } };
    return identity(await this.#make(canary, target ?? substitute, signal));
  }

  /** Copies the wish to keep the application to the anchor, where it outlives Canary and target; a request only when the wish has changed. */
  async keep(canary: Canary, isWanted: boolean, signal: AbortSignal): Promise<void> {
    const { namespace } = canary.metadata;
    const key = ownerKey(canary);
    if (isWanted === this.#kept.has(key)) return;
    const name = anchorName(canary);
    const cluster = atUrgencyOf(canary, this.#cluster);
    const anchor = await cluster.get({ apiVersion: 'apps/v1', kind: 'ControllerRevision', name, namespace }, { signal });
    if (!anchor) return;
    // The user's own mark stays.
    if (anchor.metadata.annotations?.[keepAnnotation] !== 'true') {
      const annotations = { [keepAnnotation]: isWanted ? COPIED : null };
      await cluster.patch(refOf(anchor), { metadata: { annotations } }, { signal });
    }
    if (isWanted) this.#kept.add(key);
    else this.#kept.delete(key);
  }

  /**
   * Records on the anchor which routes of the user's are split, before they are: a Canary that is deleted while Serin is down leaves nothing else that
   * says it. A request only where they are others than are recorded.
   */
  async noteRoutes(canary: Canary, signal: AbortSignal): Promise<void> {
    const anchor = await this.#find(canary, signal);
    if (!anchor) return;
    const routes = canary.status?.release?.listedRoutes ?? canary.spec.routeRefs ?? [];
    if (isDeepStrictEqual(routes, listedIn(anchor) ?? [])) return;
    await this.#annotate(canary, anchor, { [listedRoutesAnnotation]: JSON.stringify(routes) }, signal);
  }

  /**
   * Records the accepted spec on the anchor before Serin acts on it: while a later edit is refused, the release follows it (E65). Sends a request only if another
   * spec is recorded. `written`: the spec of the routes in the cluster, if it is known. Returns the recorded generation of the Canary, `undefined` if no anchor is known.
   */
  async noteSpec(canary: Canary, written: Canary['spec'] | undefined, signal: AbortSignal): Promise<number | undefined> {
    const anchor = isFirst(canary) ? this.#known.get(ownerKey(canary)) : await this.#find(canary, signal);
    if (!anchor) return undefined;
    const { annotations, generation } = acceptedNote(anchor, canary, written);
    if (annotations === undefined) return generation;
    try {
      await this.#annotate(canary, anchor, annotations, signal);
      return generation;
    } catch (error) {
      // The next one is made with the spec.
      if (!isNotFound(error)) throw error;
      this.doubt(canary);
      return undefined;
    }
  }

  /** The specs that this Canary was run by, the newest first: none where an earlier version has run it last, or where they do not fit. */
  async acceptedSpecs(canary: NamedOwner, signal: AbortSignal): Promise<readonly JsonRecord[]> {
    const anchor = await this.#find(canary, signal);
    return anchor ? acceptedSpecsIn(anchor, canary.status) : [];
  }

  /** The spec that the anchor was made under, as far as it says what the Canary owns and how it is routed. */
  async originalSpec({ metadata }: KubeObject, signal: AbortSignal): Promise<Canary['spec'] | undefined> {
    const { name, namespace = '', uid = '' } = metadata;
    const anchor = await this.#find({ metadata: { name, namespace, uid } }, signal);
    return anchor && this.read(anchor)?.canary?.spec;
  }

  /** Desired pods of the target before any change of it, `undefined` if that is not known, or was none. */
  async originalReplicas(canary: Canary, signal: AbortSignal): Promise<number | undefined> {
    const anchor = await this.#find(canary, signal);
    return (anchor && this.read(anchor)?.target.replicas) || undefined;
  }

  /** The apex Service before Serin's first write, `undefined` if that is not known. */
  async originalApex(canary: Canary, signal: AbortSignal): Promise<Original> {
    const anchor = await this.#find(canary, signal);
    const data = anchor && this.read(anchor);
    return data && recordedApex(canary, data);
  }

  /**
   * Canaries that were deleted while Serin was down, by their anchors. Data of anchors can be large, and are read only for anchors without a running Canary, in
   * one namespace for no more than `MOST_ORPHANS`.
   */
  async orphans(canaries: LivingCanaries, namespaces: readonly string[], signal: AbortSignal): Promise<Canary[]> {
    const listed = await this.#listed(namespaces, signal);
    const lost = Map.groupBy(
      listed.filter((anchor) => !canaries.isRunning(anchorOwnerOf(anchor))),
      ({ metadata }) => metadata.namespace ?? '',
    );
    const orphans = await Promise.all([...lost].map(([namespace, anchors]) => this.#orphansIn(namespace, anchors, canaries, signal)));
    return orphans.flat();
  }

  async #orphansIn(namespace: string, anchors: readonly KubeObject[], canaries: LivingCanaries, signal: AbortSignal): Promise<Canary[]> {
    if (anchors.length > MOST_ORPHANS)
      this.#log.warn(
        { namespace, anchors: anchors.length },
        'more anchors without a Canary than Serin reads at a start: delete the anchors that you do not need',
      );
    const orphans: Canary[] = [];
    for (const listed of anchors.slice(0, MOST_ORPHANS)) {
      const anchor = await this.#cluster.get(refOf(listed), { signal });
      const { canary } = (anchor && this.read(anchor)) ?? {};
      if (!canary) continue;
      const routeRefs = anchor && listedIn(anchor);
      const spec = { ...canary.spec, ...(routeRefs && { routeRefs }) };
      const orphan = { metadata: { ...canary.metadata, generation: 0, resourceVersion: '' }, spec };
      if (!canaries.isInherited(orphan)) orphans.push({ apiVersion, kind: 'Canary', ...orphan });
    }
    return orphans;
  }

  forget(canary: AnchorOwner): void {
    this.templates.forget(canary);
    this.#known.delete(ownerKey(canary));
    this.#kept.delete(ownerKey(canary));
  }

  /** An object of this Canary was deleted: its anchor is looked at again before anything is made for it. */
  doubt(canary: AnchorOwner): void {
    this.#known.delete(ownerKey(canary));
  }

  /** Data of the anchor; undefined where it cannot be trusted, which is reported once. */
  read(anchor: KubeObject): AnchorData | undefined {
    const read = readAnchor(anchor);
    if (read === undefined || 'data' in read) return read?.data;
    const { namespace, name, uid, resourceVersion } = anchor.metadata;
    const label = `${namespace}/${name}`;
    const version = `${uid}/${resourceVersion}`;
    // With --cascade=orphan what it owns stays.
    if (this.#reported.get(label) !== version)
      this.#log.warn(
        { anchor: label, problem: read.problem },
        'an anchor is skipped, since it cannot be believed: delete this ControllerRevision',
      );
    this.#reported.set(label, version);
    return undefined;
  }

  /** Anchors without their data. */
  async #listed(namespaces: readonly string[], signal: AbortSignal): Promise<KubeObject[]> {
    const kind = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };
    const scopes = namespaces.length === 0 ? [kind] : namespaces.map((namespace) => ({ ...kind, namespace }));
    const selection = { labelSelector: `${recordLabel}=anchor`, metadataOnly: true, signal };
    const lists = await Promise.all(
      scopes.map((scope) =>
        this.#cluster.list(scope, selection).catch((error: unknown) => {
          // With several namespaces, a forbidden one stops only the Canaries in it.
          if (scopes.length > 1 && isForbidden(error)) return { items: [] };
          throw error;
        }),
      ),
    );
    const items = lists.flatMap((list) => list.items);
    for (const anchor of items)
      if (anchor.metadata.annotations?.[keepAnnotation] === COPIED) this.#kept.add(ownerKey(anchorOwnerOf(anchor)));
    return items;
  }

  async #annotate(canary: Canary, anchor: KubeObject, annotations: Labels, signal: AbortSignal): Promise<void> {
    const cluster = atUrgencyOf(canary, this.#cluster);
    this.#known.set(ownerKey(canary), await cluster.patch(refOf(anchor), { metadata: { annotations } }, { signal }));
  }

  async #find(canary: NamedOwner, signal: AbortSignal): Promise<KubeObject | undefined> {
    const known = this.#known.get(ownerKey(canary));
    if (known) return known;
    const { namespace } = canary.metadata;
    const found = await atUrgencyOf(canary, this.#cluster).get(
      { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: anchorName(canary), namespace },
      { signal },
    );
    if (!found || !isAnchor(found)) return undefined;
    this.#known.set(ownerKey(canary), found);
    return found;
  }
}

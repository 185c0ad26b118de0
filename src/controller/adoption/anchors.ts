import { apiVersion, type Canary } from '../../api/canary.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { refOf } from '../../api/kube-object.ts';
import { anchorName, keepAnnotation, names } from '../../api/names.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { isAlreadyExists, isForbidden } from '../../kube/errors.ts';
import { withPriority } from '../../kube/with-priority.ts';
import {
  historyToPrune,
  isAnchor,
  newestFirst,
  readAnchor,
  readTemplateRevision,
  recordLabel,
  recordsOf,
  renderAnchor,
  renderTemplateRevision,
  type TemplateRevisionData,
} from '../../workloads/anchor.ts';
import type { AnchorData } from '../../workloads/anchor-data.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { PrimarySpec } from '../../workloads/workload.ts';
import { priorityOf } from '../canary/stored-priority.ts';
import { apexOriginal } from '../deletion/restore-apex.ts';
import { NameTakenError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type AnchorOwner, identity, keyOf, ownerOf } from './anchor-owner.ts';

/** Value of the mark on an anchor that was copied from the Canary or the target, and goes with theirs; any other value is the user's. */
const COPIED = 'copied';

/** Anchors without a running Canary that are read in one namespace; a namespace with more has forged ones, or is read at the next starts. */
export const MOST_ORPHANS = 200;

/** Which Canaries there are. */
export interface LivingCanaries {
  /** This very one, whatever it releases by now. */
  isRunning(canary: AnchorOwner & { metadata: { name: string } }): boolean;
  /** This one, or another one on what stands. */
  isInherited(canary: Pick<Canary, 'metadata' | 'spec'>): boolean;
}

/** The application is to serve on when its target and Canary are both gone. */
export function isKept(anchor: KubeObject): boolean {
  const mark = anchor.metadata.annotations?.[keepAnnotation];
  return mark === 'true' || mark === COPIED;
}

/** Templates that may be put back, and those that no longer can. */
export interface KeptTemplates {
  kept: readonly PrimarySpec[];
  pruned: readonly PrimarySpec[];
}

export interface KeepTemplateOptions {
  /** The target's own template. */
  target?: PodTemplate | undefined;
  /** As they were just read; `unneeded`: where `hasRoomAfter` says so; absent: they are read. */
  records?: readonly KubeObject[] | 'unneeded' | undefined;
  signal: AbortSignal;
}

/** The record that was made last, and how many there are at the most. */
interface LastRecord {
  revision: string;
  number: number;
  count: number;
}

/** The promoted templates among the records of a Canary, newest first. */
export function promotionsIn(records: readonly KubeObject[]): TemplateRevisionData[] {
  return records.toSorted(newestFirst).flatMap((object) => readTemplateRevision(object) ?? []);
}

/**
 * The anchor of each Canary and the templates that were promoted. They are read when a release needs them, and not watched: an idle
 * Canary reads none.
 */
export class Anchors {
  readonly #cluster: Cluster;
  readonly #historyLimit: number;
  readonly #known = new Map<string, KubeObject>();
  /** Of promoted templates, by Canary: who leads is the only one that makes records. Forgotten where another Serin is seen. */
  readonly #last = new Map<string, LastRecord>();
  /** Canaries whose anchor this process has made, and which have no record yet. */
  readonly #blank = new Set<string>();
  /** Canaries whose anchor has a copied mark. */
  readonly #kept = new Set<string>();
  /** By anchor, the version that was reported as unreadable. */
  readonly #reported = new Map<string, string>();
  readonly #log: Pick<Log, 'warn'>;

  constructor(cluster: Cluster, historyLimit: number, log: Pick<Log, 'warn'>) {
    this.#cluster = cluster;
    this.#historyLimit = historyLimit;
    this.#log = log;
  }

  /** The anchor, made with the target's values of this moment when there is none yet: before anything of the target is changed. */
  ensure(canary: Canary, target: KubeObject, signal: AbortSignal): Promise<{ name: string; uid: string }> {
    return this.reference(canary, signal, async () => target);
  }

  async #make(canary: Canary, target: KubeObject, signal: AbortSignal): Promise<KubeObject> {
    const workload = workloadFor(canary.spec.targetRef);
    const cluster = this.#at(canary);
    const apex = await cluster.get(
      { apiVersion: 'v1', kind: 'Service', name: names(canary).apexService, namespace: canary.metadata.namespace },
      { signal },
    );
    const { name, namespace, uid, labels } = canary.metadata;
    const { provider, targetRef, service, analysis, autoscalerRef } = canary.spec;
    const anchor = renderAnchor(canary, {
      canary: {
        metadata: { name, namespace, uid, ...(labels && { labels }) },
        spec: {
          ...(provider && { provider }),
          targetRef,
          ...(autoscalerRef && { autoscalerRef }),
          service,
          analysis: { interval: analysis.interval, threshold: analysis.threshold },
        },
      },
      target: 'unsupported' in workload ? { replicas: 1 } : workload.originals(target),
      ...(apex && { apexService: apexOriginal(apex) }),
    });
    try {
      const created = await cluster.create(anchor, { signal });
      this.#known.set(keyOf(canary), created);
      this.#blank.add(keyOf(canary));
      return created;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const found = await this.#find(canary, signal);
      if (!found) throw new NameTakenError(refOf(anchor), { canBeAdopted: false });
      return found;
    }
  }

  /** The anchor's identity, where there is an anchor. */
  async existing(
    canary: AnchorOwner & { metadata: { name: string }; status?: Canary['status'] },
    signal: AbortSignal,
  ): Promise<{ name: string; uid: string } | undefined> {
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
    const known = isFirst(canary) ? this.#known.get(keyOf(canary)) : await this.#find(canary, signal);
    if (known) return identity(known);
    const { namespace } = canary.metadata;
    const { targetRef } = canary.spec;
    const target = await (readTarget ? readTarget() : this.#at(canary).get({ ...targetRef, namespace }, { signal }));
    const substitute = { ...targetRef, metadata: { name: targetRef.name }, spec: { replicas: 1 } };
    return identity(await this.#make(canary, target ?? substitute, signal));
  }

  /** Copies the wish to keep the application to the anchor, where it outlives Canary and target; a request only when the wish has changed. */
  async keep(canary: Canary, isWanted: boolean, signal: AbortSignal): Promise<void> {
    const { namespace } = canary.metadata;
    const key = keyOf(canary);
    if (isWanted === this.#kept.has(key)) return;
    const name = anchorName(canary);
    const cluster = this.#at(canary);
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

  /** The spec that the anchor was made under, as far as it says what the Canary owns and how it is routed. */
  async originalSpec({ metadata }: KubeObject, signal: AbortSignal): Promise<Canary['spec'] | undefined> {
    const { name, namespace = '', uid = '' } = metadata;
    const anchor = await this.#find({ metadata: { name, namespace, uid } }, signal);
    return anchor && this.read(anchor)?.canary?.spec;
  }

  /** Pods that the target asked for before anything of it was changed; undefined where that is not known, or was none. */
  async originalReplicas(canary: Canary, signal: AbortSignal): Promise<number | undefined> {
    const anchor = await this.#find(canary, signal);
    return (anchor && this.read(anchor)?.target.replicas) || undefined;
  }

  /** Records a promoted template and prunes the history; returns what is left of it. */
  async keepTemplate(
    canary: Canary,
    spec: PrimarySpec,
    revision: string,
    { target, signal, ...read }: KeepTemplateOptions,
  ): Promise<KeptTemplates> {
    const anchor = await this.#find(canary, signal);
    const key = keyOf(canary);
    const last = this.#last.get(key);
    // Until it is answered, what is stored is unknown.
    this.#last.delete(key);
    this.#blank.delete(key);
    const isUnneeded = read.records === 'unneeded' && last !== undefined;
    const records = isUnneeded ? [] : read.records === 'unneeded' || !read.records ? await this.records(canary, signal) : read.records;
    const number = Math.max(isUnneeded ? last.number : 0, ...records.map((object) => Number(object.revision))) + 1;
    const cluster = this.#at(canary);
    await cluster.apply(renderTemplateRevision(canary, spec, revision, number, anchor, target), { signal });
    const pruned = historyToPrune(records, this.#historyLimit - 1);
    for (const old of pruned) await cluster.delete(refOf(old), { signal });
    const left = records.filter((record) => !pruned.includes(record));
    this.#last.set(key, { revision, number, count: (isUnneeded ? last.count : left.length) + 1 });
    const specsOf = (objects: readonly KubeObject[]): PrimarySpec[] =>
      objects.flatMap((object) => {
        const template = readTemplateRevision(object);
        return template ? [template.spec] : [];
      });
    return { kept: [spec, ...specsOf(left)], pruned: specsOf(pruned) };
  }

  /** This process has recorded that revision last, and one more makes none superfluous: the records need not be read for it. */
  hasRoomAfter(canary: AnchorOwner, revision: string | undefined): boolean {
    const last = this.#last.get(keyOf(canary));
    return last !== undefined && last.revision === revision && last.count < this.#historyLimit;
  }

  /** The same in place of one that never served, which is nothing to go back to. */
  async replaceTemplate(
    canary: Canary,
    unserved: string,
    spec: PrimarySpec,
    revision: string,
    options: Omit<KeepTemplateOptions, 'records'>,
  ): Promise<void> {
    const { signal } = options;
    await this.keepTemplate(canary, spec, revision, options);
    for (const record of await this.records(canary, signal))
      if (readTemplateRevision(record)?.revision === unserved) await this.#at(canary).delete(refOf(record), { signal });
  }

  /**
   * Canaries that were deleted while Serin was down, by their anchors. Data of anchors may be large, and are read of the ones without a running
   * Canary alone; in one namespace of no more than `MOST_ORPHANS`.
   */
  async orphans(canaries: LivingCanaries, namespaces: readonly string[], signal: AbortSignal): Promise<Canary[]> {
    const listed = await this.#listed(namespaces, signal);
    const lost = Map.groupBy(
      listed.filter((anchor) => !canaries.isRunning(ownerOf(anchor))),
      ({ metadata }) => metadata.namespace ?? '',
    );
    const orphans = await Promise.all([...lost].map(([namespace, anchors]) => this.#orphansIn(namespace, anchors, canaries, signal)));
    return orphans.flat();
  }

  async #orphansIn(namespace: string, anchors: readonly KubeObject[], canaries: LivingCanaries, signal: AbortSignal): Promise<Canary[]> {
    if (anchors.length > MOST_ORPHANS)
      this.#log.warn(
        { namespace, anchors: anchors.length },
        'more anchors without a Canary than are looked at in one start: delete the ones that are not needed',
      );
    const orphans: Canary[] = [];
    for (const listed of anchors.slice(0, MOST_ORPHANS)) {
      const anchor = await this.#cluster.get(refOf(listed), { signal });
      const { canary } = (anchor && this.read(anchor)) ?? {};
      if (!canary) continue;
      const orphan = { metadata: { ...canary.metadata, generation: 0, resourceVersion: '' }, spec: canary.spec };
      if (!canaries.isInherited(orphan)) orphans.push({ apiVersion, kind: 'Canary', ...orphan });
    }
    return orphans;
  }

  /** The newest promoted template, or that of one revision. */
  async promotedTemplate(canary: Canary, signal: AbortSignal, revision?: string): Promise<TemplateRevisionData | undefined> {
    return (await this.promotions(canary, signal)).find((data) => revision === undefined || data.revision === revision);
  }

  /** Promoted templates, newest first, as far as they are kept. */
  async promotions(canary: Canary, signal: AbortSignal): Promise<TemplateRevisionData[]> {
    return promotionsIn(await this.records(canary, signal));
  }

  forget(canary: AnchorOwner): void {
    this.#known.delete(keyOf(canary));
    this.#last.delete(keyOf(canary));
    this.#blank.delete(keyOf(canary));
    this.#kept.delete(keyOf(canary));
  }

  /** With the urgency of this Canary's other requests, as far as its status is known. */
  #at(canary: { status?: Canary['status'] }): Cluster {
    return canary.status === undefined ? this.#cluster : withPriority(this.#cluster, priorityOf(canary.status));
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

  /** Without their data. */
  async #listed(namespaces: readonly string[], signal: AbortSignal): Promise<KubeObject[]> {
    const kind = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };
    const scopes = namespaces.length === 0 ? [kind] : namespaces.map((namespace) => ({ ...kind, namespace }));
    const selection = { labelSelector: `${recordLabel}=anchor`, metadataOnly: true, signal };
    const lists = await Promise.all(
      scopes.map((scope) =>
        this.#cluster.list(scope, selection).catch((error: unknown) => {
          // One of several namespaces that may not be read stops only the Canaries there.
          if (scopes.length > 1 && isForbidden(error)) return { items: [] };
          throw error;
        }),
      ),
    );
    const items = lists.flatMap((list) => list.items);
    for (const anchor of items) if (anchor.metadata.annotations?.[keepAnnotation] === COPIED) this.#kept.add(keyOf(ownerOf(anchor)));
    return items;
  }

  /** Of one Canary: its anchor, and the templates that were promoted. A new one whose anchor was just made has none. */
  async records(canary: Canary, signal: AbortSignal): Promise<KubeObject[]> {
    if (isFirst(canary) && this.#blank.has(keyOf(canary))) return [];
    const kind = { apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace: canary.metadata.namespace };
    const { items } = await this.#at(canary).list(kind, { labelSelector: recordsOf(canary), signal });
    const anchor = await this.#find(canary, signal);
    // Those of an earlier anchor are about to be collected, and belong to an application that was uninstalled.
    const isOurs = ({ metadata: { ownerReferences = [] } }: KubeObject) =>
      ownerReferences.length === 0 || ownerReferences.some(({ uid }) => uid === anchor?.metadata.uid);
    return items.filter(isOurs);
  }

  async #find(
    canary: AnchorOwner & { metadata: { name: string }; status?: Canary['status'] },
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    const known = this.#known.get(keyOf(canary));
    if (known) return known;
    const { namespace } = canary.metadata;
    const found = await this.#at(canary).get(
      { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: anchorName(canary), namespace },
      { signal },
    );
    if (!found || !isAnchor(found)) return undefined;
    this.#known.set(keyOf(canary), found);
    return found;
  }
}

/** Nothing of this Canary was promoted yet, as far as its status says. */
function isFirst({ status }: Canary): boolean {
  return (status?.phase || 'Initializing') === 'Initializing' && status?.release?.promotedRevision === undefined;
}

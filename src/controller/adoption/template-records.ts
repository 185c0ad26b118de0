import type { Canary } from '../../api/canary.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import {
  historyToPrune,
  newestFirst,
  readTemplateRevision,
  recordsOf,
  renderTemplateRevision,
  type TemplateRevisionData,
} from '../../workloads/anchor.ts';
import type { PrimarySpec } from '../../workloads/workload.ts';
import { type AnchorOwner, atUrgencyOf, isFirst, ownerKey } from './anchor-owner.ts';

/** Templates that can be put back, and templates that no longer can. */
export interface KeptTemplates {
  kept: readonly PrimarySpec[];
  pruned: readonly PrimarySpec[];
}

export interface KeepTemplateOptions {
  /** The target's own template. */
  target?: PodTemplate | undefined;
  /** The records that were just read. `unneeded` if `hasRoomAfter` says so, `undefined` to read them. */
  records?: readonly KubeObject[] | 'unneeded' | undefined;
  signal: AbortSignal;
}

/** The newest record, and the highest possible number of them. */
interface LastRecord {
  revision: string;
  number: number;
  count: number;
}

/** The promoted templates among the records of a Canary, newest first. */
export function promotionsIn(records: readonly KubeObject[]): TemplateRevisionData[] {
  return records.toSorted(newestFirst).flatMap((object) => readTemplateRevision(object) ?? []);
}

type FindAnchor = (canary: Canary, signal: AbortSignal) => Promise<KubeObject | undefined>;

/** The templates that were promoted, one record each. They are read when a release needs them, and not watched. */
export class TemplateRecords {
  readonly #cluster: Cluster;
  readonly #historyLimit: number;
  readonly #findAnchor: FindAnchor;
  /** Last record of promoted templates, by Canary: only the leader makes records. Forgotten where another Serin is seen. */
  readonly #last = new Map<string, LastRecord>();
  /** Canaries whose anchor this process has made, and which have no record yet. */
  readonly #blank = new Set<string>();

  constructor(cluster: Cluster, historyLimit: number, findAnchor: FindAnchor) {
    this.#cluster = cluster;
    this.#historyLimit = historyLimit;
    this.#findAnchor = findAnchor;
  }

  /** This process has just made the Canary's anchor. */
  begin(canary: AnchorOwner): void {
    this.#blank.add(ownerKey(canary));
  }

  forget(canary: AnchorOwner): void {
    this.#last.delete(ownerKey(canary));
    this.#blank.delete(ownerKey(canary));
  }

  /** Records a promoted template and prunes the history; returns what is left of it. */
  async keep(
    canary: Canary,
    spec: PrimarySpec,
    revision: string,
    { target, signal, ...read }: KeepTemplateOptions,
  ): Promise<KeptTemplates> {
    const anchor = await this.#findAnchor(canary, signal);
    const key = ownerKey(canary);
    const last = this.#last.get(key);
    // The stored record is unknown until the answer.
    this.#last.delete(key);
    this.#blank.delete(key);
    const isUnneeded = read.records === 'unneeded' && last !== undefined;
    const records = isUnneeded ? [] : read.records === 'unneeded' || !read.records ? await this.records(canary, signal) : read.records;
    const number = Math.max(isUnneeded ? last.number : 0, ...records.map((object) => Number(object.revision))) + 1;
    const cluster = atUrgencyOf(canary, this.#cluster);
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
    const last = this.#last.get(ownerKey(canary));
    return last !== undefined && last.revision === revision && last.count < this.#historyLimit;
  }

  /** The same in place of a template that never served: no rollback goes to it. */
  async replace(
    canary: Canary,
    unserved: string,
    spec: PrimarySpec,
    revision: string,
    options: Omit<KeepTemplateOptions, 'records'>,
  ): Promise<void> {
    const { signal } = options;
    await this.keep(canary, spec, revision, options);
    for (const record of await this.records(canary, signal))
      if (readTemplateRevision(record)?.revision === unserved) await atUrgencyOf(canary, this.#cluster).delete(refOf(record), { signal });
  }

  /** The newest promoted template, or that of one revision. */
  async promoted(canary: Canary, signal: AbortSignal, revision?: string): Promise<TemplateRevisionData | undefined> {
    return (await this.promotions(canary, signal)).find((data) => revision === undefined || data.revision === revision);
  }

  /** The kept promoted templates, newest first. */
  async promotions(canary: Canary, signal: AbortSignal): Promise<TemplateRevisionData[]> {
    return promotionsIn(await this.records(canary, signal));
  }

  /** Records of one Canary: its anchor, and the promoted templates. A new Canary whose anchor was just made has none. */
  async records(canary: Canary, signal: AbortSignal): Promise<KubeObject[]> {
    if (isFirst(canary) && this.#blank.has(ownerKey(canary))) return [];
    const kind = { apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace: canary.metadata.namespace };
    const { items } = await atUrgencyOf(canary, this.#cluster).list(kind, { labelSelector: recordsOf(canary), signal });
    const anchor = await this.#findAnchor(canary, signal);
    // Records of an earlier anchor are about to be collected, and belong to an application that was uninstalled.
    const isOurs = ({ metadata: { ownerReferences = [] } }: KubeObject) =>
      ownerReferences.length === 0 || ownerReferences.some(({ uid }) => uid === anchor?.metadata.uid);
    return items.filter(isOurs);
  }
}

type LabelValues = Record<string, string | number>;
interface Removable {
  remove(labels: LabelValues): void;
}
interface Settable extends Removable {
  set(labels: LabelValues, value: number): void;
}
/** A Canary, or what an event about it knows of it. */
interface Owned {
  metadata: { namespace?: string; name: string; uid?: string };
}
interface Key {
  namespace?: string;
  name: string;
}
interface SeriesOwner {
  uid: string;
  target: string;
  /** Series of each metric, by their labels as text. */
  series?: Map<Removable, Map<string, LabelValues>>;
}

/**
 * Series by the Canary that owns them: they go when it goes, when it releases another target, and when its replica no longer leads. A late call for a Canary
 * that is not looked after any more leaves none behind.
 */
export class OwnedSeries {
  readonly #owners = new Map<string, SeriesOwner>();
  /** The series of one target can have two owners, because a refused Canary also names it. */
  readonly #shares = new Map<Removable, Map<string, number>>();

  /** This Canary is looked after from now on. */
  begin({
    metadata: { namespace, name, uid },
    spec,
  }: {
    metadata: { namespace: string; name: string; uid: string };
    spec: { targetRef: { name: string } };
  }): void {
    const known = this.#owners.get(keyOf({ namespace, name }));
    if (known?.uid === uid && known.target === spec.targetRef.name) return;
    this.end({ namespace, name });
    this.#owners.set(keyOf({ namespace, name }), { uid, target: spec.targetRef.name });
  }

  end(key: Key): void {
    const owner = this.#owners.get(keyOf(key));
    for (const [metric, series] of owner?.series ?? []) for (const id of series.keys()) this.#drop(owner, metric, id);
    this.#owners.delete(keyOf(key));
  }

  endAll(): void {
    for (const owner of this.#owners.values())
      for (const [metric, series] of owner.series ?? []) for (const id of series.keys()) this.#drop(owner, metric, id);
    this.#owners.clear();
  }

  /** The name of its target, as Flagger's metrics label it; undefined for a Canary that is not run. */
  targetOf(canary: Owned): string | undefined {
    return this.#ownerOf(canary)?.target;
  }

  /** The labels under which this Canary can be counted by that metric, `undefined` if it no longer can. */
  own<Labels extends LabelValues>(canary: Owned, metric: Removable, labels: Labels): Labels | undefined {
    const owner = this.#ownerOf(canary);
    if (owner === undefined) return undefined;
    owner.series ??= new Map();
    const series = owner.series.get(metric) ?? new Map<string, LabelValues>();
    owner.series.set(metric, series);
    const id = idOf(labels);
    if (series.has(id)) return labels;
    series.set(id, labels);
    const shares = this.#shares.get(metric) ?? new Map<string, number>();
    this.#shares.set(metric, shares.set(id, (shares.get(id) ?? 0) + 1));
    return labels;
  }

  /** Sets all series that the Canary has of the gauge: earlier series that are not among them are removed. */
  set(canary: Owned, gauge: Settable, values: readonly { labels: LabelValues; value: number }[]): void {
    const owner = this.#ownerOf(canary);
    if (owner === undefined) return;
    const wanted = new Set(values.map(({ labels }) => idOf(labels)));
    for (const id of owner.series?.get(gauge)?.keys() ?? []) if (!wanted.has(id)) this.#drop(owner, gauge, id);
    for (const { labels, value } of values) if (this.own(canary, gauge, labels)) gauge.set(labels, value);
  }

  #ownerOf({ metadata }: Owned): SeriesOwner | undefined {
    const owner = this.#owners.get(keyOf(metadata));
    return owner?.uid === metadata.uid ? owner : undefined;
  }

  #drop(owner: SeriesOwner | undefined, metric: Removable, id: string): void {
    const labels = owner?.series?.get(metric)?.get(id);
    if (labels === undefined) return;
    owner?.series?.get(metric)?.delete(id);
    const shares = this.#shares.get(metric);
    const left = (shares?.get(id) ?? 1) - 1;
    if (left > 0) shares?.set(id, left);
    else {
      shares?.delete(id);
      metric.remove(labels);
    }
  }
}

const keyOf = ({ namespace, name }: Key): string => `${namespace}/${name}`;
const idOf = (labels: LabelValues): string => JSON.stringify(labels);

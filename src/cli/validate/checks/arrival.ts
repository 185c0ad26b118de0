import { error, type Finding, warning } from '../../../api/finding.ts';
import { groupOf, type KubeObject } from '../../../api/kube-object.ts';
import { names } from '../../../api/names.ts';
import { lossText } from '../../../arrival/arrival.ts';
import { type ReadKind, readKinds } from '../../../arrival/kinds.ts';
import type { ArrivalPlan } from '../../../arrival/plan.ts';
import { planFor } from '../../../arrival/plan-for.ts';
import { companionNames } from '../../../workloads/companions/kind-names.ts';
import type { Item } from '../documents.ts';
import { MOST } from '../limits.ts';
import { type CanaryItem, findItem, findingOn, type ManifestCheck, type Manifests } from '../manifests.ts';

/** Losses of the application at the arrival of its Canary, by all objects of the files (I17). A Canary whose primary is among them has arrived. */
export const arrivalLosses: ManifestCheck = function* (manifests) {
  const near = new NearObjects(manifests.items);
  let looked = 0;
  for (const item of manifests.canaries) {
    const target = targetOf(item, manifests);
    if (target === undefined) continue;
    const objects = near.of(item.namespace);
    looked += objects.length;
    yield* findingOn(item, looked > MOST.looks ? [tooMany] : lossesOf(item, { target, objects }, manifests));
  }
};

const tooMany = warning('spec.targetRef', 'not checked for what would be lost, since this run has too many objects: check fewer at a time');

const workload = (name: string, { canary, namespace }: CanaryItem, { items }: Manifests): KubeObject | undefined =>
  findItem({ items }, { kind: canary.spec.targetRef.kind, group: 'apps', name, namespace })?.object;

function targetOf(item: CanaryItem, manifests: Manifests): KubeObject | undefined {
  const { kind, name } = item.canary.spec.targetRef;
  return item.place && (kind === 'Deployment' || kind === 'DaemonSet') ? workload(name, item, manifests) : undefined;
}

function lossesOf(
  item: CanaryItem,
  { target, objects }: { target: KubeObject; objects: readonly KubeObject[] },
  manifests: Manifests,
): Finding[] {
  const { canary, namespace, provider } = item;
  const primary = workload(names(canary).primary, item, manifests);
  const { selectorLabels, unread } = manifests;
  const settings = { selectorLabels, companions: companionNames, provider, mode: 'refuse', isServing: primary !== undefined } as const;
  const read = {
    target: inNamespace(target, namespace),
    primary: primary && inNamespace(primary, namespace),
    objects,
    unread: unread.get(namespace ?? '') ?? [],
  };
  const homed = { ...canary, metadata: { ...canary.metadata, namespace: namespace ?? '' } };
  const plan = planFor(homed, read, settings);
  if (plan === undefined || 'problem' in plan) return [];
  const losses = plan.losses.map((loss): Finding => {
    const message = lossText(loss, homed.metadata.namespace);
    return loss.isRefused ? error('spec.targetRef', message) : warning('spec.targetRef', message);
  });
  return [...losses, ...notChecked(plan.unchecked)];
}

/** Objects that an arrival in a namespace looks at. Each is sorted once, and not once for each Canary. */
class NearObjects {
  readonly #ofAll: readonly Item[];
  readonly #byNamespace: ReadonlyMap<string | undefined, readonly Item[]>;
  readonly #found = new Map<string | undefined, readonly KubeObject[]>();

  constructor(items: readonly Item[]) {
    const read = items.flatMap((item) => {
      const kind = readKindOf(item.object);
      return kind === undefined ? [] : [{ item, isOfAll: kind.isOfAll === true }];
    });
    this.#ofAll = read.filter(({ isOfAll }) => isOfAll).map(({ item }) => item);
    this.#byNamespace = Map.groupBy(
      read.filter(({ isOfAll }) => !isOfAll).map(({ item }) => item),
      ({ namespace }) => namespace,
    );
  }

  of(namespace: string | undefined): readonly KubeObject[] {
    const homes = namespace === undefined ? [...this.#byNamespace.keys()] : [namespace, undefined];
    const known =
      this.#found.get(namespace) ??
      [...homes.flatMap((home) => this.#byNamespace.get(home) ?? []), ...this.#ofAll].map((one) =>
        inNamespace(one.object, one.namespace ?? namespace),
      );
    this.#found.set(namespace, known);
    return known;
  }
}

function notChecked(kinds: ArrivalPlan['unchecked']): Finding[] {
  if (kinds.length === 0) return [];
  const named = kinds.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`).join(', ');
  const remedy = 'run it as a user who may list them in all namespaces';
  return [warning('spec.targetRef', `not checked for what would be lost: ${named}, which you may not list: ${remedy}`)];
}

/** Files can contain anything: only kinds that an arrival looks at, and that have a name. */
function readKindOf({ apiVersion, kind, metadata, spec }: KubeObject): ReadKind | undefined {
  const isNamed = typeof metadata === 'object' && metadata !== null && typeof metadata.name === 'string';
  if (!isNamed || typeof spec !== 'object' || spec === null) return undefined;
  return readKinds.find((one) => one.kind === kind && one.group === groupOf(String(apiVersion)));
}

const inNamespace = (object: KubeObject, namespace = ''): KubeObject => ({ ...object, metadata: { ...object.metadata, namespace } });

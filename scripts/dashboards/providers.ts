import { type Provider, providers, type TargetRef } from '../../src/api/canary.ts';
import type { Observer } from '../../src/api/observer.ts';
import { definitionOf } from '../../src/routers/index.ts';
import { type Board, BY_SERVICE } from '../../src/routers/provider.ts';

type Kind = TargetRef['kind'];

/** Providers that share a dashboard. */
interface ProviderGroup extends Board {
  providers: readonly [Provider, ...Provider[]];
}

const groups: readonly ProviderGroup[] = [...Map.groupBy(providers, (provider) => definitionOf(provider).board.id).values()].flatMap(
  ([first, ...others]) => (first === undefined ? [] : [{ ...definitionOf(first).board, providers: [first, ...others] }]),
);

/** A group with the queries of one kind of target. */
export interface ObservedGroup extends ProviderGroup {
  observer: Observer;
  /** Kinds of targets that these queries judge, as a matcher of `kind`; empty for any. */
  kinds: string;
  /** Pods of a side by the pattern of their names, `undefined` if they can have any names. */
  podsOf?: (target: string) => string;
}

/** By the whole pattern of their names, so that `api` is not `api-gateway`. */
const PODS: Partial<Record<Kind, (target: string) => string>> = {
  Deployment: (target) => `${target}-[0-9a-z]+(-[0-9a-z]+)`,
  DaemonSet: (target) => `${target}-[0-9a-z]+`,
};

/** Kinds of targets without queries of their own are judged by those of Deployments, as `observerFor` chooses them. */
export const observedGroups: readonly ObservedGroup[] = groups.flatMap((group) => {
  const { Deployment, ...others } = definitionOf(group.providers[0]).observers;
  const own = Object.entries(others) as [Kind, Observer][];
  const kinds = own.length === 0 ? '' : `kind!~"${own.map(([kind]) => kind).join('|')}"`;
  const withPods = (kind: Kind) => {
    const podsOf = group.kind === undefined ? PODS[kind] : undefined;
    return podsOf && { podsOf };
  };
  return [
    { ...group, observer: Deployment, kinds, ...withPods('Deployment') },
    ...own.map(([kind, observer]) => ({
      ...group,
      id: `${group.id}-${kind.toLowerCase()}`,
      title: `${group.title}, ${kind}s`,
      observer,
      kinds: `kind="${kind}"`,
      // Requests of a Service target are counted by the Services that they were sent to.
      ...(!observer.selectsWorkload && { toPrimary: BY_SERVICE }),
      ...withPods(kind),
    })),
  ];
});

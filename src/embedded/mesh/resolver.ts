import type { KubeObject } from '../../api/kube-object.ts';
import type { KindRef } from '../../kube/cluster.ts';
import type { LaggedView } from './lagged-view.ts';
import type { MeshRequest } from './request.ts';
import type { DirectResponse, ResolvedRoute } from './resolved-route.ts';

/** The proxies' reading of the objects of one traffic provider, by that provider's own specification and nothing else. */
export interface RouteResolver {
  /** The values of `spec.provider` whose objects it honours, without the version. */
  readonly providers: readonly string[];
  /** CRDs of its kinds; absent if the kinds are the API server's own. */
  definitions?(): KubeObject[];
  /** Labels of the series that its traffic is counted in. */
  readonly series?: Readonly<Record<string, readonly string[]>>;
  /** Kinds that it reads. One object can be served in several versions: all of them feed one name, so that any that exists is read. */
  readonly kinds: readonly ObservedKind[];
  /** Upper bounds of the histograms that its `count` observes, ascending, in each one's own unit. */
  readonly histograms?: Readonly<Record<string, readonly number[]>>;
  /** Services (`namespace/name`) of an object of its kinds; absent if its proxies know Services without routes. */
  servicesOf?(object: KubeObject): readonly string[];
  /** Route of a request as long as the view does not change; `undefined` if no object of this provider names its host. */
  resolve(view: LaggedView, request: MeshRequest): RouteChoice | undefined;
}

/** The destination of one request, by weight. It can be called again for equal requests. */
export type RouteChoice = (random: () => number) => ResolvedRoute | DirectResponse;

export const refuseWith =
  (refusal: DirectResponse): RouteChoice =>
  () =>
    refusal;

export interface ObservedKind extends KindRef {
  /** The name under which views know the kind, where another group has a kind of the same name. */
  readonly knownAs?: string;
}

import type { Canary } from '../api/canary.ts';
import type { Finding } from '../api/finding.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import type { Capabilities } from '../api/providers.ts';
import type { Routes, UnreadableRoutes } from '../api/routes.ts';
import type { SelectorLabels } from '../api/selector-label.ts';
import type { Port } from './ports.ts';
import type { RoutingError } from './routing-error.ts';

/** The apex Service's target. */
export interface Apex {
  /** The label by which the pods of each side are selected. */
  selector: SelectorLabels;
  ports: readonly Port[];
}

export interface RouteChange {
  /** In this order: an object comes after the objects that it names. */
  write: readonly KubeObject[];
  /** After every write. */
  remove: readonly ObjectRef[];
}

/** All objects of a kind in one namespace. */
export interface Survey {
  apiVersion: string;
  kind: string;
  namespace: string;
}

/** Objects known in the cluster. */
export interface KnownObjects {
  find(ref: ObjectRef): KubeObject | undefined;
  /** The objects of one namespace. */
  all(kind: Survey): readonly KubeObject[];
}

/**
 * Fate of a route that we made, when its Canary is deleted and the target serves. `stays`: it serves an edge, or an object of the user names it, and no request
 * would be answered without it. `goes`: clients fall back to the Service.
 */
export type AfterDeletion = 'stays' | 'goes';

export interface RouteWarning {
  on: KubeObject;
  message: string;
}

/** A part of a user's object on the apex Service that the routes of a Canary do not keep. Clauses, as a blocker has them. */
export interface Unkept {
  on: KubeObject;
  field: string;
  detail: string;
  remedy: string;
  /** Users would be answered by other pods than they call: such a Canary is refused. */
  isRefused: boolean;
  /** It is a security policy that would not hold. */
  isPolicy?: true;
  /** No release could go on: to accept it helps nothing. */
  isFirm?: true;
  /** The routes that Serin has written do not do so: only those of this spec would. */
  isNew?: true;
}

/** A route of the user's of which only the destinations that name the application are ours. */
export interface SplitRoute {
  on: KubeObject;
  /** Rules that lead to the application, as the user wrote them: `spec.rules[0]`. */
  rules: readonly string[];
  /** They lead to both sides already. */
  isSplit: boolean;
}

/** A traffic provider. Everything is pure; a thing that it cannot express is a thrown `RoutingError`, never a near miss. */
export interface Router {
  /** Features of this provider. The engine tests these, never "is it nginx?". */
  readonly supports: Capabilities;
  /** Reason, for its condition, for which this Canary's spec cannot be routed here, `undefined` if it can. */
  refuses?(canary: Canary): RoutingError | undefined;
  /** Parts of the spec that have no effect here, where the others are run. `current`: the objects that it watches, if they are known. */
  ignores?(canary: Canary, current?: readonly KubeObject[]): readonly Finding[];
  /** Objects whose state it reads. */
  watches(canary: Canary): readonly ObjectRef[];
  /** Objects of users, of any name, that bear on its rendered objects: `current` contains them beside the objects that it watches. */
  surveys?(canary: Canary): readonly Survey[];
  /** Parts of all objects that were read, also of other namespaces, that the routes would not keep on arrival. */
  unkept?(canary: Canary, objects: readonly KubeObject[]): readonly Unkept[];
  /** Objects of users for the apex Service of which it repeats what they say for the sides. */
  carries?(canary: Canary, objects: readonly KubeObject[]): readonly KubeObject[];
  /** Objects that pods need before they start, or a webhook of the provider's turns them away; they move no traffic. */
  prepare?(canary: Canary, apex: Apex): readonly KubeObject[];
  /** The objects that the provider should hold for these routes. Foreign fields of `current` are not repeated. */
  render(canary: Canary, apex: Apex, routes: Routes, current: readonly KubeObject[]): RouteChange;
  /** Tests if a route of its kind is the user's, of which only the backends that name the application are ours: merged into it, never applied. */
  isUsers?(route: KubeObject): boolean;
  /** Routes of the user's of which rules are split, or will be. */
  splits?(canary: Canary, current: readonly KubeObject[]): readonly SplitRoute[];
  /** If the user wants to have a route back that is ours whole: all of its spec from before Serin, with the application split. */
  handedBack?(canary: Canary, routes: Routes, current: readonly KubeObject[]): KubeObject | undefined;
  /**
   * The next step towards `next`, if proxies can learn of its backends later than of the routes to them: some time after it comes another one, or `next`.
   * `undefined` if `next` can be written.
   */
  introduction?(next: KubeObject, current: readonly KubeObject[]): KubeObject | undefined;
  /** The routes that the objects found in the cluster express; the reverse of `render`. `undefined` if they do not exist yet. */
  readRoutes(canary: Canary, current: readonly KubeObject[]): Routes | UnreadableRoutes | undefined;
  /** The user's object that a share of the traffic needs and that is not found, with the remedy; absent if it needs none. */
  missing?(canary: Canary, current: readonly KubeObject[]): RoutingError | undefined;
  /** Tests if the provider reports that it has taken over its objects; without the method, it does not report and counts as done. */
  isInForce?(canary: Canary, current: readonly KubeObject[]): boolean;
  /** The object that the provider rejects in its current version, and the reason, for the condition. */
  rejection?(canary: Canary, current: readonly KubeObject[]): { object: ObjectRef; detail: string } | undefined;
  /** Conflicts of its objects with others, each reported on the object; none of them blocks a release. */
  warnings?(canary: Canary, look: KnownObjects): readonly RouteWarning[];
  /** Writes for deletion: all traffic to the apex Service's target, adopted objects restored. */
  finalize(canary: Canary, current: readonly KubeObject[]): RouteChange;
  /** The fate of one of its objects that we made; one found in place is the user's, and stays in any case. */
  afterDeletion(canary: Canary, object: KubeObject): AfterDeletion;
}

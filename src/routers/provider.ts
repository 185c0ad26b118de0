import type { TargetRef } from '../api/canary.ts';
import type { Observer } from '../api/observer.ts';
import type { Permission, RbacVerb } from '../api/permission.ts';
import type { Router } from './router.ts';

/** Settings of the controller that routers need. */
export interface RouterOptions {
  /** Prefix of the annotations that ingress-nginx reads. */
  ingressAnnotationsPrefix?: string;
  /** The ingress class of generated HTTPProxies; without it they have none. */
  ingressClass?: string;
  /** The mesh that an SMI version is served by, where `--mesh-provider` names it. */
  mesh?: string;
}

/**
 * The built-in queries by kind of target. Pods of a DaemonSet have other names and labels than those of a Deployment; those of a Service target have any names.
 */
export type Observers = { Deployment: Observer } & Partial<Record<TargetRef['kind'], Observer>>;

/** A list that a server-side apply merges by a key, so that foreign entries would stay in it. */
export interface MergedList {
  kind: string;
  field: string;
  keyOf(entry: Record<string, unknown>): string;
}

/** A variable of a Grafana dashboard. */
interface BoardVariable {
  name: string;
  label: string;
  query: string;
  /** The part of each result that counts. */
  regex?: string;
  /** The last name of the alphabet is chosen at first. */
  latest?: true;
}

/** Grafana dashboard of a provider for its two sides. */
export interface Board {
  /** Providers that are judged by the same queries share one dashboard. */
  id: string;
  title: string;
  /**
   * If the queries do not name the target: the texts to replace in them for the primary. A single text is the reason for which both sides are counted as one.
   */
  toPrimary?: readonly [canary: string, primary: string] | string;
  /** Kind of the targets, if Kubernetes has no pods for it by a known name. */
  kind?: TargetRef['kind'];
  variables?: readonly BoardVariable[];
}

/** Queries that name the Service of a side. */
export const BY_SERVICE = ['-canary', '-primary'] as const;

/** A traffic provider: the one value that its folder exports. Facts that decide whether a Canary is valid are in `src/api/providers.ts`. */
export interface ProviderDefinition {
  router(options: RouterOptions): Router;
  observers: Observers;
  board: Board;
  /**
   * The sides to which requests go without passing the apex Service: by its routes to the Service of that side. By default both. Objects attached to the apex
   * Service by its name (a BackendTLSPolicy, a ServiceProfile) do not hold for these.
   */
  pastApex?: readonly ('primary' | 'canary')[];
  /** Besides Services. A kind can be deleted if the router itself removes it; objects that the router leaves behind are collected with the anchor. */
  permissions: readonly Permission[];
  /** Names of lists that the router owns whole: each foreign entry in them changes where traffic goes. */
  ownedWhole?: readonly string[];
  mergedLists?: readonly MergedList[];
  /** Its Kustomize overlay; where the Prometheus of the mesh usually is, as in Flagger's, and flags beside its name. */
  overlay?: { prometheus?: string; flags?: readonly string[] };
}

/** Everything is watched, written by server-side apply, and read once when it is adopted or restored. */
export const MADE: readonly RbacVerb[] = ['get', 'list', 'watch', 'create', 'patch'];
/** The same for kinds that the router also deletes. */
export const MADE_AND_REMOVED: readonly RbacVerb[] = [...MADE, 'delete'];

/** A permission for the routing objects of a provider. */
export function routes(group: string, resources: readonly string[], verbs: readonly RbacVerb[] = MADE): Permission {
  return { group, resources, verbs, purpose: 'routes' };
}

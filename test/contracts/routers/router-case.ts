import type { Provider } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Routes } from '../../../src/api/routes.ts';
import type { CanaryService } from '../../../src/api/service-spec.ts';
import type { ExpectedQueries } from './queries.ts';

export type Ability = 'weights' | 'mirroring' | 'headerMatch' | 'sessionAffinity';

/** One way in which routes of a provider are asked for, and the kinds of its objects that stay when their Canary is deleted. */
export interface Exposure {
  /** Of the routes, for the docs; absent: the provider has one kind of them. */
  of?: string;
  /** Laid over the service of the provider's case. */
  service?: object;
  stays: readonly string[];
  because: string;
}

/** What is generated beside an object of the user's goes. */
export const besideUsers: readonly Exposure[] = [{ stays: [], because: 'your own Ingress or ApisixRoute leads to the apex Service' }];
/** The same inside a mesh. */
export const insideMesh: readonly Exposure[] = [{ stays: [], because: 'clients inside the mesh find the Service' }];

/** Facts of one provider for the contract suite, besides its router. */
export interface RouterCase {
  /** The folder of test/golden; absent: there is none. */
  golden?: string;
  /** The file of test/fixtures/published-crds, or `built in`; absent: none is published that Kubernetes takes. */
  crds?: string;
  queries: ExpectedQueries;
  /** The fate of its generated routes; `docs/providers.md` shows it. */
  afterDeletion: readonly Exposure[];
  /** Why it lacks what it lacks; a difference from `supports` fails. */
  lacks: Partial<Record<Ability, string>>;
  /** Fields of the spec that this provider cannot do without (`ingressRef`, `routeRef`), and of its service (`gatewayRefs`). */
  spec?: object;
  service?: object;
  /** Objects of the user that its routes are part of, or are made from. */
  inPlace?: readonly KubeObject[];
  /** A spec (or whole fields of the object, by `foreignMetadata`) of the last object written that says no routes of ours. */
  foreignSpec?: object;
  foreignMetadata?: object;
  /** The written object that holds the routes; default: the last. */
  holdsRoutes?(object: KubeObject): boolean;
  /** Its objects belong to no namespace. */
  isClusterScoped?: boolean;
  /** Sums of the weights that stand side by side, one for each place where they do; each has to be `total`. */
  sums(object: KubeObject): number[];
  total?: number;
  /** The names that it may write under, besides those of the apex, primary and canary Services. */
  ownNames?: readonly string[];
  /** Whether all rules that can reach the canary carry the condition `x-user: insider`; absent without a header match. */
  isConditioned?(objects: readonly KubeObject[]): boolean;
  /** Routes that it cannot hold though the abilities suggest it: they have to be refused. */
  refuses?(routes: Routes): boolean;
  /** Settings of `spec.service` that it cannot express, of those that the suite makes: they have to be refused. */
  refusesService?(service: Partial<CanaryService>): boolean;
  /** The forms of a condition's text that it can express; default: all. */
  forms?: readonly ('exact' | 'prefix' | 'suffix' | 'regex')[];
  /** Fields of a condition beside `headers`, and how many entries and headers an entry may have; default: by session affinity as Istio, no limit. */
  conditions?: { queryParams?: boolean; sourceLabels?: boolean; mostEntries?: number; mostHeaders?: number };
}

export type RouterCases = Readonly<Partial<Record<Provider, RouterCase>>>;

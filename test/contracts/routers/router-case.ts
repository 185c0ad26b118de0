import type { Provider } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Routes } from '../../../src/api/routes.ts';
import type { CanaryService } from '../../../src/api/service-spec.ts';
import type { ExpectedQueries } from './queries.ts';

export type Ability = 'weights' | 'mirroring' | 'headerMatch' | 'sessionAffinity';

/** Kinds of a provider's route objects that stay when their Canary is deleted, for one form of exposure. */
export interface Exposure {
  /** Form of exposure in the docs, `undefined` if the provider has only one. */
  of?: string;
  /** Laid over the service of the provider's case. */
  service?: object;
  stays: readonly string[];
  because: string;
}

/** Routes that are generated beside an object of the user are deleted. */
export const besideUsers: readonly Exposure[] = [{ stays: [], because: 'your own Ingress or ApisixRoute leads to the apex Service' }];
/** The same inside a mesh. */
export const insideMesh: readonly Exposure[] = [{ stays: [], because: 'clients inside the mesh find the Service' }];

/** Facts of one provider for the contract suite, besides its router. */
export interface RouterCase {
  /** Folder of test/golden, `undefined` if no golden files exist. */
  golden?: string;
  /** File of test/fixtures/published-crds, or `built in`. `undefined` if no published CRD is accepted by Kubernetes. */
  crds?: string;
  queries: ExpectedQueries;
  /** The fate of its generated routes; `docs/providers.md` shows it. */
  afterDeletion: readonly Exposure[];
  /** Reason for each ability that is missing; a difference from `supports` fails. */
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
  /** Sum of the weights in each list of weighted backends; each sum must be `total`. */
  sums(object: KubeObject): number[];
  total?: number;
  /** The names that it may write under, besides those of the apex, primary and canary Services. */
  ownNames?: readonly string[];
  /** All rules that can reach the canary have the condition `x-user: insider`. Absent without a header match. */
  isConditioned?(objects: readonly KubeObject[]): boolean;
  /** Routes that it cannot hold though the abilities suggest it: they have to be refused. */
  refuses?(routes: Routes): boolean;
  /** Generated settings of `spec.service` that it cannot express and must refuse. */
  refusesService?(service: Partial<CanaryService>): boolean;
  /** The forms of a condition's text that it can express; default: all. */
  forms?: readonly ('exact' | 'prefix' | 'suffix' | 'regex')[];
  /** Fields of a condition besides `headers`, and limits for entries and for headers of an entry. Default with session affinity: as Istio, no limit. */
  conditions?: { queryParams?: boolean; sourceLabels?: boolean; mostEntries?: number; mostHeaders?: number };
}

export type RouterCases = Readonly<Partial<Record<Provider, RouterCase>>>;

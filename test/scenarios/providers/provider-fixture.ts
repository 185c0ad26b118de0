import type { Provider } from '../../../src/api/canary.ts';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import type { Cluster } from '../../../src/kube/cluster.ts';
import type { StartApplication } from '../kinds/application.ts';

/** The application that a provider leads users to. */
export interface AppName {
  name: string;
  namespace: string;
}

/** All that a suite has to know to play a release through one traffic provider, on either cluster. */
export interface ProviderFixture {
  provider: Provider;
  /** Its tutorial in docs. Absent if the page of another version of the same API covers it. */
  tutorial?: readonly [title: string, about: string];
  /** Objects of its users before Serin starts, besides their Deployment and Service: an Ingress, a Gateway, the HTTPProxy that includes ours. */
  objects?(app: AppName): KubeObject[];
  /** Makes what takes the place of the Deployment and its Service; the release goes from its version 1 to its version 2. */
  application?: StartApplication;
  /** Makes version 1 and version 2 run as primary and canary, with no controller; default: two pods and the three Services. */
  sides?(cluster: Cluster, app: AppName): Promise<void>;
  /** Laid over the Canary's `spec`, and over its `spec.service`. */
  spec?(app: AppName): object;
  service?(app: AppName): object;
  /** Host header of clients' requests, and further headers for a proxy of the embedded mesh (`x-serin-gateway`) or for the provider. */
  host(app: AppName): string;
  headers?(app: AppName): Record<string, string>;
  /** The object that holds the weights. */
  route(app: AppName): ObjectRef;
  /** Edits of another writer to that object while a release is under way, each by its name; generic edits (metadata, deletion) are the suite's own. */
  edits: Readonly<Record<string, (object: KubeObject) => KubeObject>>;
  /** Its proxy counts only by route, so that the built-in queries see both sides of the split. */
  countsBothSides?: true;
  /** Edits among `edits` after which the object does not return to its former state, with the reason. */
  leaves?: Readonly<Record<string, string>>;
  /** Edits of the suite's own that mean something else here than an edit of routes, with the reason. */
  unfit?: Readonly<Record<string, string>>;
  /** Its CRD merges the entries of a list by a key: a correction is an apply, and then a patch of the whole list. */
  mergesByKey?: boolean;
}

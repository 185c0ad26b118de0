import { groupOf } from '../api/kube-object.ts';
import { allDefinitions } from './index.ts';

/** Services, Ingresses and Knative's Services are always beside the application, as in Flagger. */
export const localGroups: readonly string[] = ['', 'networking.k8s.io', 'serving.knative.dev'];

/** API groups of the objects that meshes and ingress proxies define themselves, which may lie in another cluster than the application. */
export const meshGroups: ReadonlySet<string> = new Set(
  allDefinitions.flatMap(({ permissions }) => permissions.map(({ group }) => group)).filter((group) => !localGroups.includes(group)),
);

/** Tests if objects of this apiVersion can be in the cluster of the mesh (`meshGroups`). */
export const isMeshKind = (apiVersion: string): boolean => meshGroups.has(groupOf(apiVersion));

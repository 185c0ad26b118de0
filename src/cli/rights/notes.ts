import { workloadFor } from '../../workloads/index.ts';
import { apiGroupOf, findItem } from '../validate/manifests.ts';
import type { Inventory } from './inventory.ts';
import type { RightsSettings } from './settings.ts';

/** Choices by which the printed rights would be fewer, or that they do not cover. */
export function rightsNotes({ canaries, items }: Inventory, { config, remoteRoutes }: RightsSettings): string[] {
  const namespaces = [...new Set(canaries.map(({ namespace }) => namespace))].toSorted();
  const unknown = canaries.flatMap(({ canary: { spec }, namespace }): string[] => {
    const { apiVersion, kind, name } = spec.targetRef;
    const workload = workloadFor(spec.targetRef);
    if ('unsupported' in workload || workload.configs === undefined || !config.enableConfigTracking) return [];
    return findItem({ items }, { kind, group: apiGroupOf({ apiVersion }), name, namespace }) ? [] : [`${kind} ${namespace}/${name}`];
  });
  const [first] = unknown;
  const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
  return [
    ...(config.namespaces.length === 0
      ? [`Serin watches the whole cluster, which takes a ClusterRole: with namespaces: [${namespaces.join(', ')}] Roles are enough.`]
      : []),
    ...(first === undefined
      ? []
      : [`${first}${more}: not among the files, so that rules for ConfigMaps and Secrets which it may read are printed: add it.`]),
    ...(remoteRoutes
      ? ['the routes are in another cluster: its user needs the rules of the providers there, as docs/permissions.md has them.']
      : []),
  ];
}

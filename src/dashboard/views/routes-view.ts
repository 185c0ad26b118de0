import type { ClusterReader } from '../../kube/cluster.ts';
import { isForbidden } from '../../kube/errors.ts';
import { summaryOf } from '../../reading/canary-reading.ts';
import type { ScreenWatch } from '../../reading/follow.ts';
import { ReadingError } from '../../reading/reading-error.ts';
import { type CanarySnapshot, mayNotRead } from '../../reading/snapshot.ts';
import { trafficReport } from '../../reading/traffic/read-traffic.ts';
import { routeChanges } from '../../reading/traffic/route-changes.ts';
import { readRouteObjects } from '../../reading/traffic/route-objects.ts';
import type { RoutesView } from '../wire.ts';

/** Fields of one page. */
const MOST_CHANGES = 100;

/** The routes of a Canary, or a note on why they are not shown. */
export interface RoutesRead {
  routes?: RoutesView;
  note?: string;
  /** Objects whose changes change it. */
  watched: readonly ScreenWatch[];
}

/** Reads the route objects of a Canary and compares them with their content outside a release. */
export async function readRoutes(
  cluster: Pick<ClusterReader, 'get'>,
  { raw, workload, target, primary }: CanarySnapshot,
  meshProvider: string,
): Promise<RoutesRead> {
  try {
    const objects = await readRouteObjects(cluster, raw, meshProvider);
    const { readFrom, traffic, unreadable } = trafficReport(objects, { namespace: raw.metadata.namespace ?? '', name: raw.metadata.name });
    const changes = workload && target ? routeChanges(objects, { workload, target, primary }) : [];
    const live = [...objects.found, ...(objects.services?.apex ? [objects.services.apex] : [])];
    return {
      routes: {
        objects: readFrom,
        recorded: summaryOf(raw).traffic.canary,
        live: traffic?.canary,
        unreadable,
        changes: changes.slice(0, MOST_CHANGES),
        more: Math.max(0, changes.length - MOST_CHANGES),
      },
      watched: live.map(({ apiVersion, kind, metadata: { namespace, name } }) => ({
        kind: { apiVersion, kind, ...(namespace && { namespace }) },
        selection: { fieldSelector: `metadata.name=${name}` },
      })),
    };
  } catch (error) {
    if (error instanceof ReadingError) return { note: error.message, watched: [] };
    if (isForbidden(error)) return { note: mayNotRead('routes'), watched: [] };
    throw error;
  }
}

import { readFileSync } from 'node:fs';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { formsOf } from '../../scenarios/planted.ts';
import type { Listener } from './listener.ts';

const KINDS = [
  ['v1', 'Event'],
  ['v1', 'Service'],
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'Pod'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'ControllerRevision'],
  ['networking.istio.io/v1beta1', 'VirtualService'],
  ['flagger.app/v1beta1', 'Canary'],
  ['flagger.app/v1beta1', 'MetricTemplate'],
  ['flagger.app/v1beta1', 'AlertProvider'],
] as const;

/** Places where the hostile tenant, or a reader of logs, can look. */
export async function readable(cluster: KubeCluster, namespace: string, own: Listener, logFile: string): Promise<Map<string, string>> {
  const places = new Map<string, string>([
    ['the log', readFileSync(logFile, 'utf8')],
    ['requests to the tenant', JSON.stringify(own.received())],
  ]);
  for (const [apiVersion, kind] of KINDS)
    for (const object of (await cluster.list({ apiVersion, kind, namespace })).items)
      places.set(`${kind} ${object.metadata.name}`, JSON.stringify(object));
  return places;
}

/** Markers that are readable in one of these places, in any form. */
export function leaksIn(places: ReadonlyMap<string, string>, markers: ReadonlyMap<string, string>): string[] {
  return [...markers].flatMap(([marker, origin]) =>
    formsOf(marker).flatMap((form) =>
      [...places].filter(([, text]) => text.includes(form)).map(([place]) => `${origin} is readable in ${place}`),
    ),
  );
}

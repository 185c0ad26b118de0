import { asPod } from '../api/kinds/pod.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { asRecord } from './canary-reading.ts';

/** A pod as live views show it. */
export interface PodRow {
  name: string;
  state: string;
  ready: boolean;
  restarts: number;
  created: string | undefined;
}

/** A pod as both live views show it. `state`: why it waits, if it does, else its phase. */
export function podOf(object: KubeObject): PodRow {
  const { metadata, status = {} } = asPod(object);
  const containers = status.containerStatuses ?? [];
  const waiting = containers.map((one) => asRecord(asRecord(one.state).waiting).reason).find((reason) => typeof reason === 'string');
  return {
    name: metadata.name,
    state: metadata.deletionTimestamp === undefined ? String(waiting ?? status.phase ?? 'Unknown') : 'Terminating',
    ready: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    restarts: containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    created: metadata.creationTimestamp,
  };
}

import type { KubeObject } from '../api/kube-object.ts';
import { compareText } from '../base/compare-text.ts';

/** The last time of an event, RFC 3339. */
export function timeOfEvent(event: KubeObject): string {
  return String(event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp ?? '');
}

/**
 * Oldest first. Times have whole seconds, in which a promotion and the traffic after it have room: within one the order is that in which the
 * API server stored them. Source for versions as rising numbers: the API concepts of Kubernetes ("Resource versions").
 */
export function oldestFirst(events: readonly KubeObject[]): KubeObject[] {
  return events.toSorted((a, b) => compareText(timeOfEvent(a), timeOfEvent(b)) || versionOf(a) - versionOf(b));
}

const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion ?? 0);

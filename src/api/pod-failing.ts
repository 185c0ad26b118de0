import * as z from 'zod';

/** Names of pods and containers are shorter (RFC 1123). */
const LONGEST_NAME = 253;
const LONGEST_REASON = 64;

/** The last failure of a pod of the canary: an end of one of its containers, or, without a container, lost readiness. */
export const PodFailing = z.object({
  pod: z.string().max(LONGEST_NAME).describe('Its name.'),
  container: z.string().max(LONGEST_NAME).optional().describe('The container that ended; absent if the pod lost its readiness.'),
  reason: z.string().max(LONGEST_REASON).optional().describe('`OOMKilled`, `Error` …, as the kubelet words it.'),
  exitCode: z.int().optional().describe('Exit code of the container.'),
  times: z.int().optional().describe('Number of times that this container has ended in this pod.'),
});
export type PodFailing = z.infer<typeof PodFailing>;

/** Failures of the canary's pods in this run, from their watch. Counts only rise; rule E27a defines what is counted. */
export interface PodFailings {
  /** Ends of containers. */
  crashes: number;
  /** Number of times that a pod lost its readiness and was not deleted. */
  lost: number;
  /** Pods that were ready, are not ready now, and have no excuse. */
  unready: number;
  last?: PodFailing;
  /** Ends of containers so far, by uid of the pod, of pods that were ready once: the base from which a starting controller counts. */
  ends: Readonly<Record<string, number>>;
}

/** Text of one failure, for events, conditions and messages. */
export function failingText({ pod, container, reason, exitCode, times = 1 }: PodFailing): string {
  if (container === undefined) return reason === 'Evicted' ? `pod ${pod} was evicted by its node` : `pod ${pod} lost its readiness`;
  const how = reason === 'OOMKilled' ? 'ran out of memory' : exitCode === undefined ? 'crashed' : `exited with code ${exitCode}`;
  return `container ${container} of pod ${pod} ${how}${times > 1 ? `, ${times} times so far` : ''}`;
}

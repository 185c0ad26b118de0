import * as z from 'zod';

/** Names of pods and containers are shorter (RFC 1123). */
const LONGEST_NAME = 253;
const LONGEST_REASON = 64;

/** The last failing of a pod of the canary: an end of one of its containers, or, without a container, lost readiness. */
export const PodFailing = z.object({
  pod: z.string().max(LONGEST_NAME).describe('Its name.'),
  container: z.string().max(LONGEST_NAME).optional().describe('The container that ended; absent: the pod lost its readiness.'),
  reason: z.string().max(LONGEST_REASON).optional().describe('`OOMKilled`, `Error` …, as the kubelet words it.'),
  exitCode: z.int().optional().describe('Exit code of the container.'),
  times: z.int().optional().describe('How often that container has ended in this pod.'),
});
export type PodFailing = z.infer<typeof PodFailing>;

/** How the pods of the canary have failed in this run, as their watch shows it. Counts only rise; rule E27a says what is counted. */
export interface PodFailings {
  /** Ends of containers. */
  crashes: number;
  /** Times that a pod lost its readiness and stayed. */
  lost: number;
  /** Pods that were ready, are not now, and have no excuse. */
  unready: number;
  last?: PodFailing;
  /** Ends of containers so far, by uid of the pod, of pods that were ready once: what a controller that starts counts from. */
  ends: Readonly<Record<string, number>>;
}

/** Text of one failing, for events, conditions and messages. */
export function failingText({ pod, container, reason, exitCode, times = 1 }: PodFailing): string {
  if (container === undefined) return reason === 'Evicted' ? `pod ${pod} was evicted by its node` : `pod ${pod} lost its readiness`;
  const how = reason === 'OOMKilled' ? 'ran out of memory' : exitCode === undefined ? 'crashed' : `exited with code ${exitCode}`;
  return `container ${container} of pod ${pod} ${how}${times > 1 ? `, ${times} times so far` : ''}`;
}

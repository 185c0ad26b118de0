import * as z from 'zod';
import { cutText } from '../base/cut-text.ts';
import { printable } from '../base/printable.ts';
import { redactText } from '../base/redact-text.ts';
import { type Cause, causes } from './codes/codes.ts';

/** Names of pods and containers are shorter (RFC 1123). */
const LONGEST_NAME = 253;
const LONGEST_REASON = 64;
/** A kubelet keeps up to 4,096 characters of a termination message. */
const LONGEST_READ = 4096;
const LONGEST_MESSAGE = 300;

/** The last failure of a pod of the canary: an end of one of its containers, or, without a container, lost readiness. */
export const PodFailing = z.object({
  pod: z.string().max(LONGEST_NAME).describe('Its name.'),
  container: z.string().max(LONGEST_NAME).optional().describe('The container that ended; absent if the pod lost its readiness.'),
  reason: z.string().max(LONGEST_REASON).optional().describe('`OOMKilled`, `Error` …, as the kubelet words it.'),
  exitCode: z.int().optional().describe('Exit code of the container.'),
  times: z.int().optional().describe('Number of times that this container has ended in this pod.'),
  cause: z.enum(causes).optional().catch(undefined).describe('Cause of a pod that is not ready, as `serin why` names it.'),
  message: z
    .string()
    .max(LONGEST_MESSAGE)
    .optional()
    .catch(undefined)
    .describe(
      'Words of the kubelet or the scheduler, or the termination message of the container, shortened and without what looks like a credential; for users only.',
    ),
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
  /** Reason for which the canary is not ready now: the most telling one of its pods. Only shown. */
  problem?: PodFailing;
  /** Ends of containers so far, by uid of the pod, of pods that were ready once: the base from which a starting controller counts. */
  ends: Readonly<Record<string, number>>;
  /** The same by container, of the pods of which one has ended: they tell which container ended while no controller ran. */
  containers?: EndsByContainer;
}

/** Ends of each container, by uid of the pod and name of the container. */
export type EndsByContainer = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Text of one failure, for events, conditions and messages. */
export function failingText(failing: PodFailing): string {
  const { message } = failing;
  return message === undefined ? clause(failing) : `${clause(failing)}: ${message}`;
}

function clause({ pod, container, reason, exitCode, times = 1, cause }: PodFailing): string {
  const waits = cause && WAITS[cause];
  if (container === undefined) {
    if (waits) return `pod ${pod} ${waits}`;
    return reason === 'Evicted' ? `pod ${pod} was evicted by its node` : `pod ${pod} lost its readiness`;
  }
  const often = times > 1 ? `, ${times} times so far` : '';
  const it = `container ${container} of pod ${pod}`;
  if (waits) return `${it} ${waits}`;
  const how = reason === 'OOMKilled' ? 'ran out of memory' : exitCode === undefined ? 'crashed' : `exited with code ${exitCode}`;
  return `${it} ${how}${often}`;
}

/** Predicates of the causes that are no end of a container. */
const WAITS: Readonly<Partial<Record<Cause, string>>> = {
  ImageUnavailable: 'cannot pull its image',
  ContainerConfig: 'cannot be made',
  ProbeFails: 'runs and is not ready: its readinessProbe or startupProbe does not pass',
  Unschedulable: 'fits on no node',
  PodGated: 'waits for a gate',
  NodeNotReady: 'is on a node that does not report',
};

/** A message of a pod for storage: one line, bounded, and without what looks like a credential, since events and alerts spread it. */
export function boundedMessage(message: string | undefined): string | undefined {
  const line = printable(redactText((message ?? '').slice(0, LONGEST_READ)))
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? undefined : cutText(line, LONGEST_MESSAGE);
}

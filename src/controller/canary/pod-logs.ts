import { boundedMessage, type PodFailing, type PodFailings } from '../../api/pod-failing.ts';
import { redactText } from '../../base/redact-text.ts';
import type { AskCluster } from '../../metrics/http/ask-cluster.ts';
import type { ControllerDeps } from '../controller-deps.ts';

/** Lines and bytes that are requested of one log, and characters that are kept of them. The API server leaves out the end of what exceeds the bytes. */
const MOST_LINES = 10;
const MOST_BYTES = 65_536;
const MOST_KEPT = 260;
/** Logs of one release: each is of another container, or of another of its ends. */
const MOST_READS = 5;

type LogDeps = Pick<ControllerDeps, 'askCluster' | 'log'> & { config: Pick<ControllerDeps['config'], 'podLogs'> };

/**
 * Reads the last lines of the log of a container that has failed and has left no termination message, so that they are in the reason. Off unless `--pod-logs` is set: logs can hold anything, and
 * the right to read them is one of its own. No pass waits for a log.
 */
export class PodLogs {
  readonly #deps: LogDeps;
  readonly #wake: () => void;
  /** Ends whose logs were requested. */
  readonly #asked = new Set<string>();
  /** Last text of each container, by its name: pods of one version fail alike, and the log of the last end can still be under way. */
  readonly #texts = new Map<string, string>();
  #run: number | undefined;
  #isForbidden = false;

  constructor(deps: LogDeps, wake: () => void) {
    this.#deps = deps;
    this.#wake = wake;
  }

  /** Begins to read what is not known yet, for the release of this number. */
  look(namespace: string, run: number, failings: readonly (PodFailing | undefined)[], signal: AbortSignal): void {
    const { askCluster, config } = this.#deps;
    if (!config.podLogs || askCluster === undefined || this.#isForbidden) return;
    if (this.#run !== run) {
      this.#asked.clear();
      this.#texts.clear();
    }
    this.#run = run;
    for (const failing of failings.filter((one) => one !== undefined)) {
      const key = keyOf(failing);
      if (key === undefined || this.#asked.has(key) || this.#asked.size >= MOST_READS) continue;
      this.#asked.add(key);
      void this.#readEnd(askCluster, namespace, failing, signal);
    }
  }

  /** The same failures, with the end of the log as message. */
  in(failings: PodFailings): PodFailings {
    if (this.#texts.size === 0) return failings;
    const { last, problem } = failings;
    return { ...failings, ...(last && { last: this.of(last) }), ...(problem && { problem: this.of(problem) }) };
  }

  of(failing: PodFailing): PodFailing {
    const text = keyOf(failing) === undefined ? undefined : this.#texts.get(failing.container ?? '');
    return text === undefined ? failing : { ...failing, message: text };
  }

  async #readEnd(ask: AskCluster, namespace: string, failing: PodFailing, signal: AbortSignal): Promise<void> {
    try {
      const hasEnded = failing.cause !== 'ProbeFails';
      let answer = await ask({ path: pathOf(namespace, failing, hasEnded) }, signal);
      // It has not run again since it ended, or its node has removed the log.
      if (hasEnded && (answer.status === 400 || isOfNode(answer.body)))
        answer = await ask({ path: pathOf(namespace, failing, false) }, signal);
      if (answer.status === 403) this.#reportForbidden(namespace);
      const text = answer.status === 200 ? endOfLog(answer.body) : undefined;
      if (text === undefined) return;
      this.#texts.set(failing.container ?? '', text);
      this.#wake();
    } catch {
      // Without its log the failure is named by what the pod says.
    }
  }

  #reportForbidden(namespace: string): void {
    if (this.#isForbidden) return;
    this.#isForbidden = true;
    this.#deps.log.warn({ namespace }, 'logs of pods cannot be read: grant get on pods/log in this namespace, or remove --pod-logs');
  }
}

/** A failure of a container without words of its own. */
function keyOf({ pod, container, cause, exitCode, times, message }: PodFailing): string | undefined {
  const isOfContainer =
    container !== undefined && (exitCode !== undefined || cause === 'ProbeFails' || cause === 'CrashLoop' || cause === 'OutOfMemory');
  return isOfContainer && message === undefined ? `${pod} ${container} ${times ?? 0}` : undefined;
}

function pathOf(namespace: string, { pod, container = '' }: PodFailing, previous: boolean): string {
  const query = new URLSearchParams({
    container,
    tailLines: String(MOST_LINES),
    limitBytes: String(MOST_BYTES),
    ...(previous && { previous: 'true' }),
  });
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?${query}`;
}

/** With 200 a kubelet also answers why it has no log: its first words, of kubelet 1.36 with containerd. */
const OF_NODE = ['unable to retrieve container logs for ', 'failed to try resolving symlinks in path '];
const isOfNode = (body: string): boolean => OF_NODE.some((words) => body.startsWith(words));

/** Its last lines in one, without what looks like a credential. */
function endOfLog(body: string): string | undefined {
  if (isOfNode(body) || Buffer.byteLength(body) >= MOST_BYTES) return undefined;
  const lines = redactText(body)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return undefined;
  const text = lines.slice(-MOST_LINES).join(' | ');
  const end = text.length > MOST_KEPT ? `…${text.slice(-MOST_KEPT).toWellFormed()}` : text;
  return boundedMessage(`its log ends: ${end}`);
}

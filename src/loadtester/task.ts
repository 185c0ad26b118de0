import type { BoundedOutput } from './bounded-output.ts';
import type { Program } from './program.ts';

/** The types of task that run here; `helmv3` is `helm`. */
export type TaskType = 'cmd' | 'bash' | 'helm' | 'kubectl';

export type TaskState =
  | { state: 'running' }
  | { state: 'succeeded'; tookMs: number }
  /** `stopped`: the caller no longer waits, or the load tester ends. */
  | { state: 'failed' | 'timeout' | 'stopped'; tookMs: number; why: string };

/** A Canary's request. Two requests with one key are for the same task. */
export interface TaskRequest {
  type: TaskType;
  namespace: string;
  name: string;
  checksum: string;
  key: string;
  program: Program;
  /** Writes the output to the log. */
  logsOutput: boolean;
}

export interface Task extends TaskRequest {
  id: string;
  /** ISO 8601. */
  startedAt: string;
  output: BoundedOutput;
  now: TaskState;
}

const SHOWN_CHARACTERS = 300;

/**
 * The message of a failed task in a Canary's event, of which 512 characters are shown: why it failed, and the end of its output, which says
 * more than the beginning.
 */
export function failureText(task: Task, outputText: string): string {
  const why = 'why' in task.now ? task.now.why : '';
  const text = outputText.trim();
  const end = text.length > SHOWN_CHARACTERS ? `…${text.slice(-SHOWN_CHARACTERS)}` : text;
  return `${task.type} task failed: ${why}${end === '' ? '' : `: ${end}`} (all of it: /tasks/${task.id})`;
}

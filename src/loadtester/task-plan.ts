import { isLabel } from '../base/host-name.ts';
import { type NativeLimits, nativeCommand } from './native-command.ts';
import type { Payload } from './payload.ts';
import { type ProcessLimits, processProgram } from './process-program.ts';
import type { Program } from './program.ts';
import type { TaskRequest, TaskType } from './task.ts';
import { argumentWords } from './words.ts';

export interface PlanOptions {
  native: NativeLimits;
  processes: ProcessLimits;
  /** Canaries of this namespace may run commands (`--allow-commands`). */
  mayRunCommands(namespace: string): boolean;
  /** The environment of commands. */
  env: NodeJS.ProcessEnv;
}

export interface PlannedTask {
  request: TaskRequest;
  isBlocking: boolean;
  /** Answers a success with the output. */
  returnsOutput: boolean;
}

export type Plan = PlannedTask | { refused: string; status: 400 | 422 };

const TYPES: Readonly<Record<string, TaskType>> = { '': 'cmd', cmd: 'cmd', bash: 'bash', helm: 'helm', helmv3: 'helm', kubectl: 'kubectl' };
const DELEGATED = new Set(['ngrinder', 'concord']);
/** Texts that Go's strconv.ParseBool reads as true. */
const YES = new Set(['1', 't', 'T', 'true', 'True', 'TRUE']);

/** The task of a payload, or why it is rejected, in words for the Canary's event. */
export function planTask({ name, namespace, checksum, metadata }: Payload, options: PlanOptions): Plan {
  if (metadata.size === 0) return { status: 400, refused: 'the webhook has no metadata: name a command in metadata.cmd' };
  const asked = metadata.get('type') ?? '';
  const shown = asked.slice(0, 40).replace(/[^\x20-\x7e]/g, '?');
  if (DELEGATED.has(asked)) return { status: 422, refused: `tasks of type ${asked} are not run here: call its own API from a command` };
  const type = Object.hasOwn(TYPES, asked) ? TYPES[asked] : undefined;
  if (type === undefined) return { status: 400, refused: `metadata.type "${shown}" is none of cmd, bash, helm, helmv3, kubectl` };
  const command = metadata.get('cmd') ?? '';
  if (command.trim() === '') return { status: 400, refused: 'metadata.cmd is missing: name the command' };
  if (command.includes('\0')) return { status: 422, refused: 'metadata.cmd holds a zero byte' };
  const program = programFor(type, command, namespace, options);
  if ('problem' in program) return { status: 422, refused: program.problem };
  const key = JSON.stringify([namespace, name, type, command]);
  const logsOutput = type !== 'cmd' || YES.has(metadata.get('logCmdOutput') ?? '');
  return {
    request: { type, namespace, name, checksum, program, key, logsOutput },
    isBlocking: type !== 'cmd',
    returnsOutput: type !== 'cmd' && YES.has(metadata.get('returnCmdOutput') ?? ''),
  };
}

function programFor(type: TaskType, command: string, namespace: string, options: PlanOptions): Program | { problem: string } {
  const isShell = type === 'cmd' || type === 'bash';
  const native = isShell ? nativeCommand(command, options.native) : { problem: `${type} is a program of its own` };
  if (!('problem' in native)) return native;
  if (!options.mayRunCommands(namespace)) return { problem: `${native.problem}. ${howToAllow(namespace)}` };
  if (isShell) return processProgram(type === 'bash' ? 'bash' : 'sh', ['-c', command], options.env, options.processes);
  const read = argumentWords(command);
  if ('beyond' in read) return { problem: `metadata.cmd has ${read.beyond}` };
  return processProgram(type, read.words, options.env, options.processes);
}

/** Names the switch. An invalid namespace is not repeated into an event. */
function howToAllow(namespace: string): string {
  const pattern = isLabel(namespace) ? namespace : 'NAMESPACE';
  return `To let Canaries of this namespace run commands in the load tester, start it with --allow-commands ${pattern}`;
}

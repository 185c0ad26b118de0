import type { Logger } from 'pino';
import { isLabel } from '../base/host-name.ts';
import { createCallerCheck } from './caller.ts';
import { cacheCredentials } from './credential-cache.ts';
import type { CredentialSources } from './credentials.ts';
import { openGates } from './gates.ts';
import { type HttpOptions, listen } from './http-server.ts';
import { createLoadTesterMetrics } from './loadtester-metrics.ts';
import { mask } from './mask.ts';
import type { ProcessLimits } from './process-program.ts';
import { createRoutes } from './routes.ts';
import { targetPolicy } from './target-policy.ts';
import type { Task } from './task.ts';
import { planTask } from './task-plan.ts';
import { Tasks } from './tasks.ts';

export interface LoadTesterOptions extends Pick<HttpOptions, 'port' | 'host' | 'headersTimeoutMs' | 'requestTimeoutMs'> {
  version: string;
  log: Logger;
  clock: { nowMs(): number; monotonicMs(): number };
  credentials: CredentialSources;
  /** Patterns of whole namespaces. An empty `namespaces` allows all of them; an empty `commandNamespaces` allows none. */
  namespaces: readonly string[];
  commandNamespaces: readonly string[];
  stateFile: string | undefined;
  /** Time of one task. */
  timeoutMs: number;
  tasks: number;
  tasksOfCanary: number;
  processes: ProcessLimits;
  /** For trials on one machine: allows requests to loopback. */
  allowLocalAddresses: boolean;
  /** The environment of commands, without our own credentials. */
  env: NodeJS.ProcessEnv;
}

export interface LoadTester {
  port: number;
  /** Time for tasks whose caller waits to end. */
  stop(graceMs: number): Promise<void>;
}

/** Variables of the environment that hold credentials begin with this. */
export const CREDENTIAL_VARIABLES = 'SERIN_LOADTESTER_';

/** Resolves when it listens. Throws when a credential cannot be read at the start. */
export async function startLoadTester(options: LoadTesterOptions): Promise<LoadTester> {
  const { log, clock, timeoutMs } = options;
  const metrics = createLoadTesterMetrics(options.version);
  const credentials = await cacheCredentials(options.credentials, clock.monotonicMs, (error) =>
    log.error({ err: error }, 'credentials cannot be read: no caller is let in'),
  );
  const gates = await openGates(options.stateFile, (aside) =>
    log.error({ file: aside }, 'the state file is not valid: it was renamed, and all gates are closed'),
  );
  const outputOf = (task: Task) => mask(task.output.text(), [...task.program.secrets, ...credentials.secrets()]);
  const tasks = new Tasks({
    timeoutMs,
    atMost: options.tasks,
    atMostOfCanary: options.tasksOfCanary,
    clock,
    onStart(task) {
      metrics.started(task);
      const { id, type, program } = task;
      log.info({ canary: canaryOf(task), task: id, type, program: program.name }, 'task started');
    },
    onEnd(task) {
      metrics.ended(task);
      const { id, type, program, now, logsOutput } = task;
      if (now.state === 'running') return;
      const output = logsOutput ? outputOf(task) : undefined;
      const canary = canaryOf(task);
      const durationMs = Math.round(now.tookMs);
      if (now.state === 'failed' || now.state === 'timeout')
        log.warn({ canary, task: id, type, program: program.name, state: now.state, durationMs, why: now.why, output }, 'task failed');
      else log.info({ canary, task: id, type, program: program.name, state: now.state, durationMs, output }, 'task ended');
    },
  });
  const mayRunCommands = matcher(options.commandNamespaces);
  const mayCall = options.namespaces.length === 0 ? () => true : matcher(options.namespaces);
  const native = { policy: targetPolicy({ allowLocal: options.allowLocalAddresses }), timeoutMs };
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => !name.startsWith(CREDENTIAL_VARIABLES)));
  const answer = createRoutes({
    callerOf: createCallerCheck({ credentials: credentials.read, nowMs: clock.nowMs }),
    mayCall,
    plan: (payload) => planTask(payload, { native, processes: options.processes, mayRunCommands, env }),
    gates,
    tasks,
    metrics,
    log,
    outputOf,
  });
  const server = await listen({ ...options, answer });
  return {
    port: server.port,
    async stop(graceMs) {
      server.close();
      await tasks.drain(graceMs);
      await server.stop();
    },
  };
}

const canaryOf = ({ namespace, name }: Task): string => `${namespace}/${name}`;

/** Matches whole names: `prod` is not `my-prod-2`. Only a valid namespace can match, so a pattern meets 63 characters at most. */
function matcher(patterns: readonly string[]): (namespace: string) => boolean {
  const compiled = patterns.map((pattern) => new RegExp(`^(?:${pattern})$`));
  return (namespace) => isLabel(namespace) && compiled.some((pattern) => pattern.test(namespace));
}

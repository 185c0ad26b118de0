import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { metricsText } from '../base/meters.ts';
import type { Call, Caller } from './caller.ts';
import type { GateKind, Gates } from './gates.ts';
import type { LoadTesterMetrics, RejectReason } from './loadtester-metrics.ts';
import { type Payload, readPayload } from './payload.ts';
import { failureText, type Task } from './task.ts';
import type { Plan, PlannedTask } from './task-plan.ts';
import type { Tasks } from './tasks.ts';

export interface ReceivedRequest {
  method: string;
  /** With its query, unmodified. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Aborted when the caller no longer waits. */
  signal: AbortSignal;
}

export interface Reply {
  status: number;
  text: string;
  headers?: Readonly<Record<string, string>>;
}

export interface RoutesOptions {
  callerOf(call: Call): Promise<Caller | { refused: string }>;
  /** Requests for Canaries of this namespace are accepted. */
  mayCall(namespace: string): boolean;
  plan(payload: Payload): Plan;
  gates: Gates;
  tasks: Tasks;
  metrics: LoadTesterMetrics;
  log: Logger;
  /** The output of a task without its secrets. */
  outputOf(task: Task): string;
}

type Handle = (payload: Payload, caller: Caller) => Promise<Reply>;

/** Answers requests as Flagger's load tester does: by path only, for each method. */
export function createRoutes(options: RoutesOptions): (asked: ReceivedRequest) => Promise<Reply> {
  const routes = new Routes(options);
  return (asked) => routes.answer(asked);
}

const constants: Readonly<Record<string, Reply>> = {
  '/healthz': { status: 200, text: 'OK' },
  '/gate/approve': { status: 200, text: 'OK' },
  '/gate/halt': { status: 403, text: 'Forbidden' },
};

class Routes {
  readonly #options: RoutesOptions;
  readonly #byPath: Readonly<Record<string, Handle>> = {
    '/gate/check': this.#check('gate'),
    '/gate/open': this.#set('gate', true),
    '/gate/close': this.#set('gate', false),
    '/rollback/check': this.#check('rollback'),
    '/rollback/open': this.#set('rollback', true),
    '/rollback/close': this.#set('rollback', false),
  };

  constructor(options: RoutesOptions) {
    this.#options = options;
  }

  async answer(asked: ReceivedRequest): Promise<Reply> {
    const { metrics, mayCall } = this.#options;
    const path = asked.url.split('?')[0] ?? '/';
    const constant = Object.hasOwn(constants, path) ? constants[path] : undefined;
    if (constant) return constant;
    if (path === '/metrics')
      return { status: 200, text: await metricsText(metrics.registry), headers: { 'content-type': metrics.registry.contentType } };
    const id = asked.method === 'GET' ? /^\/tasks\/([^/]+)$/.exec(path)?.[1] : undefined;
    if (id !== undefined) return this.#show(asked, id);
    const caller = await this.#callerOf(asked);
    if ('status' in caller) return caller;
    const payload = readPayload(asked.body);
    if ('problem' in payload) return this.#reject('payload', 400, payload.problem);
    if (!mayCall(payload.namespace)) return this.#reject('namespace', 403, 'Forbidden');
    if (caller.namespace !== undefined && caller.namespace !== payload.namespace)
      return this.#reject('namespace', 403, `Forbidden: what proves this caller is for Canaries of ${caller.namespace}`);
    const handle = Object.hasOwn(this.#byPath, path) ? this.#byPath[path] : undefined;
    return handle ? handle(payload, caller) : this.#run(payload, asked.signal);
  }

  #reject(why: RejectReason, status: number, text: string, headers?: Record<string, string>): Reply {
    const { metrics, log } = this.#options;
    metrics.refused(why);
    log.debug({ why, status }, 'request refused');
    return { status, text, ...(headers && { headers }) };
  }

  #busy(text: string): Reply {
    return this.#reject('busy', 429, text, { 'retry-after': '5' });
  }

  #check(kind: GateKind): Handle {
    return async ({ namespace, name }) =>
      this.#options.gates.isOpen(kind, namespace, name) ? { status: 200, text: 'Approved' } : { status: 403, text: 'Forbidden' };
  }

  #set(kind: GateKind, isOpen: boolean): Handle {
    return async ({ namespace, name }, { by }) => {
      const { gates, log } = this.#options;
      const canary = `${namespace}/${name}`;
      try {
        if (!(await gates.set(kind, namespace, name, isOpen))) return this.#reject('busy', 429, 'too many gates are open: close some');
      } catch (error) {
        log.error({ canary, gate: kind, err: error }, 'the state of the gates could not be written');
        return { status: 500, text: 'the state of the gates could not be written: nothing has changed' };
      }
      if (isOpen) log.info({ canary, gate: kind, by }, 'gate opened');
      else log.info({ canary, gate: kind, by }, 'gate closed');
      return { status: 202, text: '' };
    };
  }

  async #run(payload: Payload, signal: AbortSignal): Promise<Reply> {
    const plan = this.#options.plan(payload);
    if ('refused' in plan) {
      this.#options.log.warn({ canary: `${payload.namespace}/${payload.name}`, reason: plan.refused }, 'task refused');
      return this.#reject(plan.status === 400 ? 'payload' : 'command', plan.status, plan.refused);
    }
    return plan.isBlocking ? this.#runBlocking(plan, signal) : this.#runInBackground(plan);
  }

  #runInBackground({ request }: PlannedTask): Reply {
    const { tasks, outputOf } = this.#options;
    const answer = tasks.background(request);
    if ('busy' in answer) return this.#busy(answer.busy);
    const headers = { location: `/tasks/${answer.task.id}` };
    if (answer.failed === undefined) return { status: 202, text: '', headers };
    return { status: 422, text: `${failureText(answer.failed, outputOf(answer.failed))}. It runs again`, headers };
  }

  async #runBlocking({ request, returnsOutput }: PlannedTask, signal: AbortSignal): Promise<Reply> {
    const { tasks, outputOf } = this.#options;
    const task = await tasks.blocking(request, signal);
    if ('busy' in task) return this.#busy(task.busy);
    const headers = { location: `/tasks/${task.id}` };
    if (task.now.state === 'succeeded') return { status: 200, text: returnsOutput ? outputOf(task) : '', headers };
    // Not 500, whose body webhook clients do not show.
    return { status: 422, text: failureText(task, outputOf(task)), headers };
  }

  async #callerOf({ headers, url, body }: ReceivedRequest): Promise<Caller | Reply> {
    const caller = await this.#options.callerOf({ headers, path: url, body });
    return 'refused' in caller ? this.#reject('caller', 401, caller.refused, { 'www-authenticate': 'Bearer' }) : caller;
  }

  async #show(asked: ReceivedRequest, id: string): Promise<Reply> {
    const { tasks, mayCall, outputOf } = this.#options;
    const caller = await this.#callerOf(asked);
    if ('status' in caller) return caller;
    const task = tasks.find(id);
    const isAllowed = task && mayCall(task.namespace) && (caller.namespace ?? task.namespace) === task.namespace;
    if (!isAllowed) return { status: 404, text: 'no such task, or it is forgotten' };
    const { type, namespace, name, checksum, startedAt, now } = task;
    const report = { id, type, namespace, name, checksum, startedAt, ...now, output: outputOf(task) };
    return { status: 200, text: `${JSON.stringify(report, null, 2)}\n`, headers: { 'content-type': 'application/json' } };
  }
}

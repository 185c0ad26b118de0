import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Call, Caller } from './caller.ts';
import type { GateKind, Gates } from './gates.ts';
import type { LoadTesterMetrics, RejectReason } from './loadtester-metrics.ts';
import { type Payload, readPayload } from './payload.ts';
import { failureText, type Task } from './task.ts';
import type { Plan, PlannedTask } from './task-plan.ts';
import type { Tasks } from './tasks.ts';

export interface ReceivedRequest {
  method: string;
  /** With its query, as it came. */
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
  /** Whether anything is done for Canaries of this namespace (06-LT23). */
  mayCall(namespace: string): boolean;
  plan(payload: Payload): Plan;
  gates: Gates;
  tasks: Tasks;
  metrics: LoadTesterMetrics;
  log: Logger;
  /** The output of a task without its secrets. */
  outputOf(task: Task): string;
}

type Handle = (payload: Payload, caller: Caller, signal: AbortSignal) => Promise<Reply>;

/** Answers requests as Flagger's load tester does (06-LT10–LT22): by path alone, whatever the method. */
export function createRoutes(options: RoutesOptions): (asked: ReceivedRequest) => Promise<Reply> {
  const { callerOf, mayCall, gates, tasks, metrics, log, outputOf } = options;
  const refuse = (why: RejectReason, status: number, text: string, headers?: Record<string, string>): Reply => {
    metrics.refused(why);
    log.debug({ why, status }, 'request refused');
    return { status, text, ...(headers && { headers }) };
  };

  const check =
    (kind: GateKind): Handle =>
    async ({ namespace, name }) =>
      gates.isOpen(kind, namespace, name) ? { status: 200, text: 'Approved' } : { status: 403, text: 'Forbidden' };

  const set =
    (kind: GateKind, isOpen: boolean): Handle =>
    async ({ namespace, name }, { by }) => {
      const canary = `${namespace}/${name}`;
      try {
        if (!(await gates.set(kind, namespace, name, isOpen))) return refuse('busy', 429, 'too many gates are open: close some');
      } catch (error) {
        log.error({ canary, gate: kind, err: error }, 'the state of the gates could not be written');
        return { status: 500, text: 'the state of the gates could not be written: nothing has changed' };
      }
      if (isOpen) log.info({ canary, gate: kind, by }, 'gate opened');
      else log.info({ canary, gate: kind, by }, 'gate closed');
      return { status: 202, text: '' };
    };

  const run: Handle = async (payload, _caller, signal) => {
    const plan = options.plan(payload);
    if ('refused' in plan) {
      log.warn({ canary: `${payload.namespace}/${payload.name}`, reason: plan.refused }, 'task refused');
      return refuse(plan.status === 400 ? 'payload' : 'command', plan.status, plan.refused);
    }
    return plan.isBlocking ? runBlocking(plan, signal) : runInBackground(plan);
  };

  const busy = (text: string): Reply => refuse('busy', 429, text, { 'retry-after': '5' });

  function runInBackground({ request }: PlannedTask): Reply {
    const answer = tasks.background(request);
    if ('busy' in answer) return busy(answer.busy);
    const headers = { location: `/tasks/${answer.task.id}` };
    if (answer.failed === undefined) return { status: 202, text: '', headers };
    return { status: 422, text: `${failureText(answer.failed, outputOf(answer.failed))}. It runs again`, headers };
  }

  async function runBlocking({ request, returnsOutput }: PlannedTask, signal: AbortSignal): Promise<Reply> {
    const task = await tasks.blocking(request, signal);
    if ('busy' in task) return busy(task.busy);
    const headers = { location: `/tasks/${task.id}` };
    if (task.now.state === 'succeeded') return { status: 200, text: returnsOutput ? outputOf(task) : '', headers };
    // Not 500, whose body webhook clients do not show (06-LT50).
    return { status: 422, text: failureText(task, outputOf(task)), headers };
  }

  const payloadRoutes: Readonly<Record<string, Handle>> = {
    '/gate/check': check('gate'),
    '/gate/open': set('gate', true),
    '/gate/close': set('gate', false),
    '/rollback/check': check('rollback'),
    '/rollback/open': set('rollback', true),
    '/rollback/close': set('rollback', false),
  };
  const constants: Readonly<Record<string, Reply>> = {
    '/healthz': { status: 200, text: 'OK' },
    '/gate/approve': { status: 200, text: 'OK' },
    '/gate/halt': { status: 403, text: 'Forbidden' },
  };

  const known = async (asked: ReceivedRequest): Promise<Caller | Reply> => {
    const caller = await callerOf({ headers: asked.headers, path: asked.url, body: asked.body });
    return 'refused' in caller ? refuse('caller', 401, caller.refused, { 'www-authenticate': 'Bearer' }) : caller;
  };

  const show = async (asked: ReceivedRequest, id: string): Promise<Reply> => {
    const caller = await known(asked);
    if ('status' in caller) return caller;
    const task = tasks.find(id);
    const isHis = task && mayCall(task.namespace) && (caller.namespace ?? task.namespace) === task.namespace;
    if (!isHis) return { status: 404, text: 'no such task, or it is forgotten' };
    const { type, namespace, name, checksum, startedAt, now } = task;
    const report = { id, type, namespace, name, checksum, startedAt, ...now, output: outputOf(task) };
    return { status: 200, text: `${JSON.stringify(report, null, 2)}\n`, headers: { 'content-type': 'application/json' } };
  };

  return async (asked) => {
    const path = asked.url.split('?')[0] ?? '/';
    const constant = Object.hasOwn(constants, path) ? constants[path] : undefined;
    if (constant) return constant;
    if (path === '/metrics')
      return { status: 200, text: await metrics.registry.metrics(), headers: { 'content-type': metrics.registry.contentType } };
    const id = asked.method === 'GET' ? /^\/tasks\/([^/]+)$/.exec(path)?.[1] : undefined;
    if (id !== undefined) return show(asked, id);
    const caller = await known(asked);
    if ('status' in caller) return caller;
    const payload = readPayload(asked.body);
    if ('problem' in payload) return refuse('payload', 400, payload.problem);
    if (!mayCall(payload.namespace)) return refuse('namespace', 403, 'Forbidden');
    if (caller.namespace !== undefined && caller.namespace !== payload.namespace)
      return refuse('namespace', 403, `Forbidden: what proves this caller is for Canaries of ${caller.namespace}`);
    const handle = Object.hasOwn(payloadRoutes, path) ? payloadRoutes[path] : undefined;
    return (handle ?? run)(payload, caller, asked.signal);
  };
}

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { parse, stringify } from 'yaml';
import { world } from '../world.ts';

/**
 * Behaviour of the API server. `inTurn`: it carries out writes of one resource one after the other, as with the addresses of Services, even if the client no
 * longer waits. `late`: each answer but a watch. `throttled`: 429 for every second write. `down`: connections end at once.
 */
export type ApiCondition =
  | { kind: 'calm' }
  | { kind: 'inTurn'; resource: string; eachMs: number }
  | { kind: 'late'; byMs: number }
  | { kind: 'throttled'; retryAfterSeconds?: number }
  | { kind: 'down' };

export interface SlowApi {
  readonly kubeconfig: string;
  /** Requests so far, by `METHOD path`; watches and the lease are not among them. */
  readonly sent: ReadonlyMap<string, number>;
  /** Writes so far that the client ended before their answer. */
  readonly cancelled: readonly string[];
  /** Writes that the API server has not carried out yet. */
  underWay(): number;
  /** All of `sent`. */
  total(): number;
  become(condition: ApiCondition): void;
  stop(): Promise<void>;
}

/** Whole, as a server has it that goes on when its client has gone. */
interface Received {
  incoming: IncomingMessage;
  body: Buffer;
}

/** Stands between a controller and its API server, which is slow, busy or gone. */
export async function startSlowApi(kubeconfig: string): Promise<SlowApi> {
  const { clock, network } = world();
  const config = parse(kubeconfig);
  const apiUrl: string = config.clusters[0].cluster.server;
  const agent = network.agent({ keepAlive: true });
  const sent = new Map<string, number>();
  const cancelled: string[] = [];
  let condition: ApiCondition = { kind: 'calm' };
  let freeAtMs = 0;
  let writes = 0;
  let late = 0;

  const pass = ({ incoming, body }: Received, answer: ServerResponse, isStream: boolean): void => {
    const { method, url = '/', headers } = incoming;
    const onward = request(`${apiUrl}${url}`, { method, headers, agent }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      answer.flushHeaders();
      response.on('error', () => answer.destroy());
      if (isStream) answer.on('close', () => response.destroy());
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    onward.end(body);
  };
  const throttle = (answer: ServerResponse, retryAfterSeconds: number | undefined): void => {
    answer.writeHead(429, {
      'content-type': 'application/json',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    });
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'TooManyRequests', code: 429 };
    answer.end(JSON.stringify({ ...status, message: 'a fault of this test' }));
  };
  const serve = (received: Received, answer: ServerResponse) => {
    const { method = 'GET', url = '' } = received.incoming;
    const isWatch = url.includes('watch=true');
    if (condition.kind === 'down') return void answer.destroy();
    // Requests of its watches and leases: the API server answers them before others.
    if (isWatch || url.includes('/leases')) return pass(received, answer, true);
    const what = `${method} ${url.split('?')[0]}`;
    sent.set(what, (sent.get(what) ?? 0) + 1);
    const isWrite = method !== 'GET';
    if (isWrite) writes += 1;
    answer.once('close', () => isWrite && !answer.writableFinished && cancelled.push(what));
    const now = condition;
    if (now.kind === 'throttled' && isWrite && writes % 2 === 0) return throttle(answer, now.retryAfterSeconds);
    if (now.kind === 'late') {
      late += isWrite ? 1 : 0;
      return void clock.setTimer(now.byMs, () => {
        late -= isWrite ? 1 : 0;
        pass(received, answer, false);
      });
    }
    if (now.kind === 'inTurn' && isWrite && url.includes(`/${now.resource}`)) {
      freeAtMs = Math.max(freeAtMs, clock.monotonicMs()) + now.eachMs;
      return void clock.setTimer(freeAtMs - clock.monotonicMs(), () => pass(received, answer, false));
    }
    pass(received, answer, false);
  };
  const server = createServer(async (incoming, answer) => serve({ incoming, body: await buffer(incoming) }, answer));
  const listener = await network.listen(server);
  config.clusters[0].cluster.server = listener.url;
  return {
    kubeconfig: stringify(config),
    sent,
    cancelled,
    underWay: () => late,
    total: () => [...sent.values()].reduce((sum, count) => sum + count, 0),
    become(next) {
      condition = next;
    },
    async stop() {
      await listener.close(true);
      agent.destroy();
    },
  };
}

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { parse, stringify } from 'yaml';
import { world } from '../world.ts';

/**
 * Faults of requests. `lost`: the connection ends before the API server has the request; `unanswered`: it is carried out, and the connection ends before the
 * answer; `late`: answered after up to 3 s; `cut`: the answer ends in the middle, as a watch does when a load balancer restarts.
 */
const FAULTS = ['busy', 'throttled', 'lost', 'unanswered', 'late', 'cut'] as const;
export type Fault = (typeof FAULTS)[number];

const LATEST_MS = 3_000;
const LONGEST_WATCH_MS = 5_000;

export interface FaultyApi {
  readonly kubeconfig: string;
  /** Number of each fault so far. */
  counts(): Partial<Record<Fault, number>>;
  /** From now on every request passes. */
  heal(): void;
  stop(): Promise<void>;
}

/** Stands between a controller and its API server: this share of its requests meets a fault of the network or of the server. */
export async function startFaultyApi(kubeconfig: string, { random, share }: { random: () => number; share: number }): Promise<FaultyApi> {
  const { clock, network } = world();
  const config = parse(kubeconfig);
  const apiUrl: string = config.clusters[0].cluster.server;
  const agent = network.agent({ keepAlive: true });
  const counts: Partial<Record<Fault, number>> = {};
  let isHealed = false;

  const pass = (incoming: IncomingMessage, hear: (response: IncomingMessage) => void, fail: () => void): void => {
    const { method, url = '/', headers } = incoming;
    const onward = request(`${apiUrl}${url}`, { method, headers, agent }, hear);
    onward.on('error', fail);
    incoming.on('close', () => incoming.complete || onward.destroy());
    incoming.pipe(onward);
  };
  const answerWhole = (incoming: IncomingMessage, answer: ServerResponse): void =>
    pass(
      incoming,
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        answer.flushHeaders();
        response.on('error', () => answer.destroy());
        answer.on('close', () => response.destroy());
        response.pipe(answer);
      },
      () => answer.destroy(),
    );
  const refuse = (answer: ServerResponse, code: 429 | 503): void => {
    const reason = code === 429 ? 'TooManyRequests' : 'ServiceUnavailable';
    answer.writeHead(code, { 'content-type': 'application/json', ...(code === 429 && { 'retry-after': '1' }) });
    answer.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: 'a fault of this test', code }));
  };
  const play: Record<Fault, (incoming: IncomingMessage, answer: ServerResponse) => void> = {
    busy: (_, answer) => refuse(answer, 503),
    throttled: (_, answer) => refuse(answer, 429),
    lost: (_, answer) => void answer.destroy(),
    unanswered: (incoming, answer) =>
      pass(
        incoming,
        (response) =>
          response
            .on('error', () => answer.destroy())
            .on('end', () => answer.destroy())
            .resume(),
        () => answer.destroy(),
      ),
    late: (incoming, answer) => void clock.setTimer(random() * LATEST_MS, () => answerWhole(incoming, answer)),
    cut: (incoming, answer) => {
      answerWhole(incoming, answer);
      clock.setTimer(random() * LONGEST_WATCH_MS, () => answer.destroy());
    },
  };
  const isWatch = ({ url = '' }: IncomingMessage): boolean => url.includes('watch=true') || url.includes('watch=1');
  const faultFor = (incoming: IncomingMessage): Fault | undefined => {
    if (isHealed || random() >= share) return undefined;
    const fault = FAULTS[Math.floor(random() * FAULTS.length)];
    // The answer to a watch has no end to wait for.
    return fault === 'unanswered' && isWatch(incoming) ? 'cut' : fault;
  };
  const server = createServer((incoming, answer) => {
    const fault = faultFor(incoming);
    if (fault === undefined) answerWhole(incoming, answer);
    else {
      counts[fault] = (counts[fault] ?? 0) + 1;
      play[fault](incoming, answer);
    }
  });
  const listener = await network.listen(server);
  config.clusters[0].cluster.server = listener.url;
  return {
    kubeconfig: stringify(config),
    counts: () => counts,
    heal() {
      isHealed = true;
    },
    async stop() {
      await listener.close(true);
      agent.destroy();
    },
  };
}

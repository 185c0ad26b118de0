import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { SOURCE_POD_HEADER } from '../../src/embedded/mesh/proxy.ts';
import { monotonicMs, nowMs, sharedAgent, sleep, world } from './world.ts';

/** Scenarios run side by side: users of all of them together must leave the machine time to bring changes to the proxies. */
const PAUSE_MS = 100;
/** Shown length of answers that no application gave. */
const MOST_TEXT = 100;

export interface Answered {
  status: number;
  /** `x-serin-version` of the pod that answered; absent when the proxy did. */
  version?: string;
  /** Reason for a missing answer of the application. */
  lost?: string;
}

export interface Users {
  /** Answers by version since the last `forget`. */
  byVersion(): Record<string, number>;
  /** Requests that no application answered: I10 wants none. */
  lost(): string[];
  /** Requests that were not answered well, by the application or for want of one. */
  failed(): string[];
  /** Answers a second, over so many of them. */
  pace(answers: number): Promise<number>;
  forget(): void;
  stop(): Promise<void>;
}

export interface Crowd {
  /** Users at each proxy; default 1. */
  each?: number;
  /** Pause between an answer and the next request. With a pause, many users send about as many requests on a busy machine as on an idle one. */
  pauseMs?: number;
}

/** Users at each proxy who send requests continuously, each one request after the other, with these headers. */
export function startUsers(
  proxyUrls: readonly string[],
  host: string,
  headers: Record<string, string> = {},
  { each = 1, pauseMs = PAUSE_MS }: Crowd = {},
): Users {
  let answers: Record<string, number> = {};
  const lost: string[] = [];
  const failed: string[] = [];
  let count = 0;
  let onAnswer: () => void = () => undefined;
  let isRunning = true;
  const agent = world().network.agent({ keepAlive: true });
  const live = async (url: string) => {
    while (isRunning) {
      const answered = await ask(url, host, headers, agent);
      if (answered.lost !== undefined) lost.push(`${new Date(nowMs()).toISOString()} ${answered.lost}`);
      if (answered.lost !== undefined || answered.status >= 500)
        failed.push(`${new Date(nowMs()).toISOString()} ${answered.status} ${answered.lost ?? `version ${answered.version}`}`);
      const version = answered.version ?? 'none';
      answers[version] = (answers[version] ?? 0) + 1;
      count += 1;
      onAnswer();
      await sleep(pauseMs);
    }
  };
  const all = proxyUrls.flatMap((url) => Array.from({ length: each }, () => live(url)));
  return {
    byVersion: () => ({ ...answers }),
    lost: () => [...lost],
    failed: () => [...failed],
    pace(wanted) {
      const [from, sinceMs] = [count, monotonicMs()];
      return new Promise((resolve) => {
        onAnswer = () => {
          if (count - from >= wanted) resolve((wanted * 1000) / (monotonicMs() - sinceMs));
        };
      });
    },
    forget() {
      answers = {};
    },
    async stop() {
      isRunning = false;
      await Promise.all(all);
      agent.destroy();
    },
  };
}

/** Headers of a request that a pod sends: they carry the pod's identity for network policies, short host names and source labels. */
export const fromPod = (namespace: string, name: string): Record<string, string> => ({ [SOURCE_POD_HEADER]: `${namespace}/${name}` });

/** One request through a proxy. */
export function ask(url: string, host: string, headers: Record<string, string> = {}, agent: Agent = sharedAgent()): Promise<Answered> {
  return new Promise((resolve) => {
    const call = request(url, { headers: { ...headers, host }, agent }, (answer) => {
      let text = '';
      answer.on('data', (part: Buffer) => {
        if (text.length < MOST_TEXT) text += part.toString().slice(0, MOST_TEXT);
      });
      answer.once('end', () => resolve(answeredBy(answer.statusCode ?? 0, answer.headers, text)));
      answer.once('error', (error) => resolve({ status: 0, lost: error.message }));
    });
    call.once('error', (error) => resolve({ status: 0, lost: error.message }));
    call.end();
  });
}

function answeredBy(status: number, headers: IncomingHttpHeaders, text: string): Answered {
  const version = headers['x-serin-version']?.toString();
  if (version !== undefined) return { status, version };
  const refusal = headers['x-serin-proxy-error']?.toString();
  return { status, lost: refusal ?? `${status}, and not of the application: ${JSON.stringify(text)}` };
}

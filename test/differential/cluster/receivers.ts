import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../recording/journal.ts';
import { neutral, type Side } from '../recording/recording.ts';
import { type AnswerServer, startAnswerServer } from './answer-server.ts';
import type { Answers } from './answers.ts';

export interface Receivers {
  /** Address of Prometheus. */
  readonly url: string;
  hookUrl(scenario: string, hook: string): string;
  alertUrl(scenario: string): string;
  readonly eventUrl: string;
  stop(): Promise<void>;
}

/** Prometheus, webhooks and the chat service of one side, at one address, which records every request. */
export async function startReceivers(side: Side, answers: Answers, journal: Journal): Promise<Receivers> {
  const server: AnswerServer = await startAnswerServer(async ({ url = '/' }, body, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const [, kind = '', scenario = '', hook = ''] = pathname.split('/');
    if (kind === 'hook') {
      const { status, delayMs } = answers.hook(side, scenario, hook);
      const payload = readPayload(body);
      journal.add(side, scenario, { kind: 'hook', hook, answer: status, payload });
      recordEvent(scenario, payload);
      if (delayMs > 0) await sleep(delayMs);
      response.writeHead(status).end();
    } else if (kind === 'event') {
      const payload = readPayload(body);
      recordEvent(String(payload.name), payload);
      response.writeHead(200).end();
    } else if (kind === 'alert') {
      journal.add(side, scenario, { kind: 'alert', payload: readPayload(body) });
      response.writeHead(200).end('ok');
    } else {
      const query = searchParams.get('query') ?? new URLSearchParams(body).get('query') ?? '';
      answerQuery(query, response);
    }
  });

  /** Flagger's events, whose way through its API client takes up to a minute on a busy machine. */
  function recordEvent(scenario: string, { metadata }: Record<string, unknown>): void {
    const { eventMessage, eventType } = (metadata ?? {}) as Record<string, string>;
    if (side === 'flagger' && eventMessage !== undefined)
      journal.add(side, scenario, { kind: 'event', type: eventType ?? '', reason: 'Synced', message: eventMessage });
  }

  function answerQuery(query: string, response: { writeHead(status: number): { end(body?: string): void } }): void {
    const scenario = journal.scenarioIn(query);
    if (scenario !== undefined) journal.add(side, scenario, { kind: 'query', query: neutral(query) });
    const answer = scenario === undefined ? ({ status: 200, values: [1] } as const) : answers.metric(side, scenario, query);
    if (answer.status === 503) return void response.writeHead(503).end('unavailable');
    const result = answer.values.map((value) => ({ metric: {}, value: [Math.floor(Date.now() / 1000), String(value)] }));
    response.writeHead(200).end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  }

  return {
    url: server.url,
    hookUrl: (scenario, hook) => `${server.url}/hook/${scenario}/${hook}`,
    eventUrl: `${server.url}/event`,
    alertUrl: (scenario) => `${server.url}/alert/${scenario}`,
    stop: () => server.stop(),
  };
}

const readPayload = (body: string): Record<string, unknown> => JSON.parse(neutral(body) || '{}');

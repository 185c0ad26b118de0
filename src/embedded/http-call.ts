import { type Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { type Clock, deadlineAfter } from '../base/clock.ts';

export interface HttpCall {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
  agent: Agent;
  /** With `clock`: for the whole call, its body included. */
  timeoutMs: number;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** One request to a part of the embedded cluster; throws without an answer. */
export async function callHttp(url: string, call: HttpCall): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const { method = 'GET', headers = {}, body, agent, clock, timeoutMs, signal } = call;
  const deadline = deadlineAfter(clock, timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
  try {
    return await new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const asked = httpRequest(url, { method, headers: { ...headers, ...length }, agent, signal: either }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() }),
        );
        response.once('error', reject);
      });
      asked.once('error', reject).end(body);
    });
  } finally {
    deadline.end();
  }
}

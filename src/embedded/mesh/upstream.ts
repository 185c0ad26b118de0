import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../base/clock.ts';

export interface UpstreamAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}
/** Reason for a missing answer, in the words of Envoy's retry conditions. */
export interface UpstreamFailure {
  failure: 'connect-failure' | 'reset' | 'timeout';
  /** Rule or object that refused the connection. */
  why?: string;
}

/**
 * One try at one pod. Unless the agent keeps connections, it has a connection of its own: a kept connection that the pod closes meanwhile would look like a
 * failure of the release, though it is a failure of this proxy.
 */
export function callUpstream(
  port: number,
  call: { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer },
  timeoutMs: number | undefined,
  { agent, clock }: { agent: Agent; clock: Clock },
): Promise<UpstreamAnswer | UpstreamFailure> {
  return new Promise((resolve) => {
    const { method, url, headers, body } = call;
    let isConnected = false;
    const outgoing = httpRequest({ host: '127.0.0.1', port, method, path: url, headers, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode ?? 502, headers: response.headers, body: Buffer.concat(parts) }));
      response.on('error', () => resolve({ failure: 'reset' }));
    });
    outgoing.on('socket', (socket) => {
      isConnected = !socket.connecting;
      if (!isConnected)
        socket.once('connect', () => {
          isConnected = true;
        });
    });
    if (timeoutMs !== undefined) {
      const cancel = clock.setTimer(timeoutMs, () => {
        resolve({ failure: 'timeout' });
        outgoing.destroy();
      });
      outgoing.once('close', cancel);
    }
    outgoing.on('error', () => resolve({ failure: isConnected ? 'reset' : 'connect-failure' }));
    outgoing.end(body);
  });
}

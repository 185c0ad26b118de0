import { type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';

/** Destination of a request from the node that it was sent to: an address with a port. */
export const ONWARD_HEADER = 'x-serin-onward';
const NO_ANSWER_MS = 5_000;

/** Answers with what the other end answers over a new connection, so that the kernel's rules choose the pod each time. */
export function sendOn(incoming: IncomingMessage, outgoing: ServerResponse, to: RequestOptions): void {
  const { method = 'GET', url = '/' } = incoming;
  const headers = { ...incoming.headers, ...to.headers, connection: 'close' };
  const call = request({ ...to, method, path: url, headers, agent: false, timeout: NO_ANSWER_MS });
  call.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  call.on('timeout', () => call.destroy(new Error(`no answer within ${NO_ANSWER_MS} ms`)));
  call.on('error', ({ message }) => refuse(outgoing, message));
  incoming.pipe(call);
}

/** Says why no pod answers. */
export function refuse(outgoing: ServerResponse, why: string): void {
  if (!outgoing.headersSent) outgoing.writeHead(503, { 'x-serin-proxy-error': why.replaceAll(/[^\x20-\x7e]/g, '?') });
  outgoing.end();
}

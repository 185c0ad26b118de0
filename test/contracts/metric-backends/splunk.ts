import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { type WebSocket, WebSocketServer } from 'ws';
import type { BackendCase, FakeBackend, Scenario, SeenRequest } from './backend-case.ts';

type Value = number | null | { long: bigint } | { int: number };

function tuple(series: number, value: Value): Buffer {
  const bytes = Buffer.alloc(17);
  bytes.writeBigUInt64BE(BigInt(series), 1);
  if (value === null) return bytes;
  if (typeof value === 'number') {
    bytes.writeUInt8(2);
    bytes.writeDoubleBE(value, 9);
  } else if ('long' in value) {
    bytes.writeUInt8(1);
    bytes.writeBigInt64BE(value.long, 9);
  } else {
    bytes.writeUInt8(3);
    bytes.writeInt32BE(value.int, 9);
  }
  return bytes;
}

/** A frame of data of one moment, by series. */
export function frameOf(values: Readonly<Record<number, Value>>, { zip = false } = {}): Buffer {
  const tuples = Object.entries(values).map(([series, value]) => tuple(Number(series), value));
  const moment = Buffer.alloc(12);
  moment.writeBigUInt64BE(1_799_999_400_000n);
  moment.writeUInt32BE(tuples.length, 8);
  const body = Buffer.concat([moment, ...tuples]);
  const header = Buffer.from([1, 5, zip ? 1 : 0, 0, ...Buffer.from('ch-1'.padEnd(16, '\0'))]);
  return Buffer.concat([header, zip ? gzipSync(body) : body]);
}

const say = (message: object) => JSON.stringify({ channel: 'ch-1', ...message });
const end = say({ type: 'control-message', event: 'END_OF_CHANNEL' });
const begin = [say({ type: 'control-message', event: 'STREAM_START' }), say({ type: 'metadata', tsId: 'A' }), say({ type: 'a-new-kind' })];

const plays: Partial<Record<Scenario, readonly (string | Buffer)[]>> = {
  value: [...begin, frameOf({ 1: { int: 5 } }), frameOf({ 1: { long: 6n } }, { zip: true }), frameOf({ 1: 7 }), frameOf({ 1: null }), end],
  noData: [...begin, end],
  null: [...begin, frameOf({ 1: null }), end],
  NaN: [...begin, frameOf({ 1: Number.NaN }), end],
  empty: [...begin, frameOf({}), end],
  severalSeries: [...begin, frameOf({ 1: 3, 2: 4 }), end],
  refused: [say({ type: 'error', error: 400, errorType: 'ANALYTICS_PROGRAM_NAME_ERROR', message: 'Unknown function planted-token' })],
  badCredentials: [JSON.stringify({ type: 'error', error: 401, message: 'Authentication failed' })],
  wrongJson: ['{"broken'],
  otherJson: ['{"hello":["world",null]}'],
  hugeBody: [Buffer.alloc(6 * 1024 * 1024)],
};

/** A stream that answers after the token and the program, in that order. */
async function streamFake(): Promise<FakeBackend> {
  const requests: SeenRequest[] = [];
  let scenario: Scenario = 'value';
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: '' });
    response.writeHead(scenario === 'down' ? 503 : 200).end('{}');
  });
  const answer = (socket: WebSocket, request: IncomingMessage) => {
    const sent: string[] = [];
    socket.on('message', (data) => {
      sent.push(String(data));
      if (sent.length < 2) return;
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: `[${sent.join()}]` });
      if (scenario === 'cutOff') {
        socket.send(frameOf({ 1: 7 }));
        socket.close();
      }
      for (const message of plays[scenario] ?? []) socket.send(message);
    });
  };
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (scenario === 'down') socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 12\r\n\r\nplanted-page');
    else if (scenario === 'redirect') socket.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:9/\r\nContent-Length: 0\r\n\r\n');
    else sockets.handleUpgrade(request, socket, head, (open) => answer(open, request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answersWith: (next) => {
      scenario = next;
    },
    requests,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const splunk: BackendCase = {
  name: 'Splunk',
  start: streamFake,
  source: { secret: { sf_token_key: 'planted-token' } },
  query: "data('requests').sum().publish()",
  isDocumented({ method, url, body }) {
    const [hello, execute] = JSON.parse(body);
    return (
      method === 'GET' &&
      url === '/v2/signalflow/connect' &&
      JSON.stringify(hello) === '{"type":"authenticate","token":"planted-token"}' &&
      execute.type === 'execute' &&
      execute.program === "data('requests').sum().publish()" &&
      execute.channel === 'ch-1' &&
      execute.immediate === true &&
      // Ten intervals of a minute back, in milliseconds.
      execute.stop === 1_800_000_000_500 &&
      execute.start === 1_799_999_400_500
    );
  },
  isProbe: ({ method, url, headers }) => method === 'GET' && url === '/v2/metric?limit=1' && headers['x-sf-token'] === 'planted-token',
  ofSeveral: /2 series where the template wants one/,
  NaN: 'kept',
  stale: 'the window that is asked for is the only measure of age',
  refusalShown: /refused the program: 400: Unknown function \*\*\*/,
  planted: ['planted-token'],
  docs: { address: 'needed, of the API or of the stream', keys: '`sf_token_key`', query: 'a SignalFlow program' },
};

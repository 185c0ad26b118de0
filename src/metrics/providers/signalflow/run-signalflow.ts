import { type RawData, WebSocket } from 'ws';
import * as z from 'zod';
import { parseJson } from '../../../base/json.ts';
import { keptIn } from '../../../base/once.ts';
import { connectionFor, type OutgoingConnection } from '../../../outgoing/connection.ts';
import { openEgress } from '../../../outgoing/own-egress.ts';
import { MAX_BODY_BYTES, SMALL_BODY_BYTES, TooLongError } from '../../../outgoing/read-body.ts';
import { NOT_USED } from '../../http/send-request.ts';
import { UnansweredError } from '../../http/within-timeout.ts';
import type { Samples } from '../../samples.ts';
import type { BackendTransport } from '../backend.ts';
import { readFrame } from './data-frame.ts';

export interface SignalFlowRun {
  /** The streaming endpoint, `…/v2/signalflow/connect`. */
  url: URL;
  token: string;
  program: string;
  startMs: number;
  stopMs: number;
  signal: AbortSignal;
  transport: BackendTransport;
}

const CHANNEL = 'ch-1';
/** Minimum number of bytes that a message counts for: each costs time to read. */
const LEAST_BYTES = 64;

/** Parts of a text message that end a run or break it. */
const Message = z.looseObject({
  type: z.string(),
  event: z.string().optional(),
  error: z.union([z.number(), z.string()]).optional(),
  message: z.string().nullish(),
});

/**
 * Runs one program to its end over a past time range, and closes the socket in any case. A connection that ends before the program does is an error, without
 * the part received so far (I11).
 */
export async function runSignalFlow(run: SignalFlowRun): Promise<{ series: Samples }> {
  const { url, token, program, startMs, stopMs, signal } = run;
  const { egress = openEgress, proxy, tls, insecureSkipVerify } = run.transport;
  const connection = connectionFor(new URL(url.href.replace(/^ws/, 'http')), { egress, proxy, secrets: [token] });
  if ('problem' in connection) throw new UnansweredError(`Splunk at ${url.host} cannot be queried: ${connection.problem}`);
  const agent = connection.agent?.[url.protocol === 'wss:' ? 'https' : 'http'];
  // Node's own WebSocket hides the status of an error and reads without a limit.
  const socket = new WebSocket(url, {
    ...{ maxPayload: MAX_BODY_BYTES, followRedirects: false },
    ...{ ...tls, rejectUnauthorized: insecureSkipVerify !== true },
    ...(agent && { agent }),
  });
  const close = () => socket.terminate();
  signal.addEventListener('abort', close, { once: true });
  const answer = growing(socket, connection, signal);
  try {
    const heard = await listen(socket, answer, () => {
      socket.send(JSON.stringify({ type: 'authenticate', token }));
      const span = { start: startMs, stop: stopMs, resolution: 0, maxDelay: 0, immediate: true, timezone: '' };
      socket.send(JSON.stringify({ type: 'execute', channel: CHANNEL, program, ...span }));
    });
    if (connection.conceals?.()) throw new UnansweredError(`Splunk at ${url.host} answered, but ${NOT_USED}`);
    return heard;
  } finally {
    signal.removeEventListener('abort', close);
    close();
    answer.end();
    connection.end();
  }
}

interface Growing {
  add(bytes: number): void;
  end(): void;
}

/** Counts the bytes of a response; once it is large, the socket waits until memory is granted. */
function growing(socket: WebSocket, connection: Pick<OutgoingConnection, 'growAnswer'>, signal: AbortSignal): Growing {
  let total = 0;
  let memory: Promise<() => void> | undefined;
  const ignore = () => undefined;
  return {
    add(bytes) {
      total += bytes;
      if (total > MAX_BODY_BYTES) throw new UnansweredError(LONG);
      if (total <= SMALL_BODY_BYTES || memory || !connection.growAnswer) return;
      memory = connection.growAnswer(signal);
      socket.pause();
      // The signal also ends the run.
      memory.then(() => socket.resume(), ignore);
    },
    end: () => void memory?.then((shrink) => shrink(), ignore),
  };
}

function listen(socket: WebSocket, answer: Growing, onOpen: () => void): Promise<{ series: Samples }> {
  return new Promise((resolve, reject) => {
    const series = new Map<string, (number | null)[]>();
    socket.on('open', onOpen);
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      reject(new UnansweredError(`Splunk answered ${response.statusCode}`));
    });
    // Also reports an aborted handshake; a listener must be kept for as long as the socket can emit errors.
    socket.on('error', (error: NodeJS.ErrnoException) => reject(error.code === TOO_LONG ? new UnansweredError(LONG) : error));
    socket.on('close', () => reject(new UnansweredError('the connection to Splunk ended before the program did')));
    socket.on('message', (data, isBinary) => {
      const frame = bufferOf(data);
      try {
        answer.add(Math.max(frame.length, LEAST_BYTES));
        const read = isBinary ? readFrame(frame, answer.add) : { text: frame.toString() };
        if (!read) return;
        if ('text' in read) {
          if (isEnd(read.text)) resolve({ series: [...series.values()] });
          return;
        }
        for (const [id, value] of read.values) keptIn(series, id, () => []).push(value);
      } catch (error) {
        reject(error);
      }
    });
  });
}

const TOO_LONG = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
const LONG = new TooLongError().message;

/** Throws for messages that end a run in failure. Unknown kinds of messages are ignored, as the protocol requires. */
function isEnd(text: string): boolean {
  const json = parseJson(text);
  if (json === undefined) throw new UnansweredError('Splunk gave an unexpected response (no JSON)');
  const message = Message.safeParse(json);
  if (!message.success) throw new UnansweredError('Splunk gave an unexpected response (JSON without a query result)');
  const { type, event, error, message: words } = message.data;
  if (type === 'error') throw new UnansweredError(`Splunk refused the program: ${[error, words].filter(Boolean).join(': ').slice(0, 300)}`);
  if (type !== 'control-message') return false;
  if (event === 'CHANNEL_ABORT') throw new UnansweredError('Splunk aborted the program before its end');
  return event === 'END_OF_CHANNEL';
}

function bufferOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

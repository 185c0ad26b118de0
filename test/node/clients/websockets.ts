import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { type Client, type Entry, PATIENCE_MS, Tally } from './client.ts';

const SOCKETS = 3;
const MESSAGE_EVERY_MS = 200;
const OPENED_AGAIN_MS = 100;
const TEXT = 0x1;
const CLOSE = 0x8;
const MASK_BYTES = 4;

/** WebSockets that send and get an answer to each message, and are opened again when they end. */
export function webSockets(entry: Entry): Client {
  const tally = new Tally();
  const running = Array.from({ length: SOCKETS }, () => {
    let unanswered: string[] = [];
    return tally.again(OPENED_AGAIN_MS, async () => {
      const opened = await open(entry).catch((error: Error) => tally.lost(`not opened: ${error.message}`));
      if (!opened) return;
      tally.seen.connections += 1;
      tally.seen.resent += unanswered.length;
      unanswered = await speak(opened, tally, unanswered);
    });
  });
  return { stop: () => tally.stop(...running) };
}

/** Sends and reads until it is closed; gives what the server has said that it did not read. */
function speak({ socket, first }: Opened, tally: Tally, again: readonly string[]): Promise<string[]> {
  const unanswered: string[] = [];
  let count = 0;
  let isAsked = false;
  const send = (message: string): void => {
    unanswered.push(message);
    socket.write(frame(TEXT, Buffer.from(message)));
  };
  for (const message of again) send(message);
  const timer = setInterval(() => {
    // A client that stops has all its answers before it leaves.
    if (!tally.isStopping) {
      if (!isAsked) send(`message ${count++}`);
    } else if (unanswered.length === 0) socket.end(frame(CLOSE, Buffer.alloc(0)));
  }, MESSAGE_EVERY_MS);
  let bytes = first;
  const read = (part: Buffer): void => {
    bytes = Buffer.concat([bytes, part]);
    for (let length = bytes[1]; length !== undefined && bytes.length >= 2 + length; length = bytes[1]) {
      const [kind = 0, payload] = [bytes.readUInt8(0) & 0x0f, bytes.subarray(2, 2 + length)];
      bytes = bytes.subarray(2 + length);
      if (kind === CLOSE) {
        isAsked = true;
        socket.end(frame(CLOSE, payload));
      } else {
        unanswered.shift();
        tally.answered(payload.toString().split(' ')[0] ?? '');
      }
    }
  };
  socket.on('data', read);
  read(Buffer.alloc(0));
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(timer);
      tally.ended(isAsked);
      if (!isAsked) for (const message of unanswered) tally.lost(`no answer to ${message}`);
      resolve(isAsked ? unanswered : []);
    });
  });
}

interface Opened {
  socket: Socket;
  /** First bytes, which came with the answer. */
  first: Buffer;
}

function open({ url, host }: Entry): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const request = get(new URL('/socket', url), {
      agent: false,
      timeout: PATIENCE_MS,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        ...(host !== undefined && { host }),
      },
    });
    request.on('upgrade', (_, socket: Socket, first) => {
      socket.setTimeout(0);
      resolve({ socket, first });
    });
    request.on('response', ({ statusCode }) => reject(new Error(`status ${statusCode}`)));
    request.on('timeout', () => request.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    request.on('error', reject);
  });
}

/** Frame of a client: masked, and shorter than 126 bytes. */
function frame(kind: number, payload: Buffer): Buffer {
  const mask = randomBytes(MASK_BYTES);
  const masked = payload.map((byte, at) => byte ^ mask.readUInt8(at % MASK_BYTES));
  return Buffer.concat([Buffer.from([0x80 | kind, 0x80 | payload.length]), mask, masked]);
}

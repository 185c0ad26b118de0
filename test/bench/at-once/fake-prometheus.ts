import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const GOOD = '100';
const BAD = '50';

export interface FakePrometheus {
  readonly url: string;
  /** The success rate of all applications from now on. */
  answer(isGood: boolean): void;
  stop(): Promise<void>;
}

/** Answers each query with one number. */
export async function startFakePrometheus(): Promise<FakePrometheus> {
  let value = GOOD;
  const server = createServer((request, response) => {
    request.resume();
    const result = [{ metric: {}, value: [Math.floor(Date.now() / 1000), value] }];
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(isGood) {
      value = isGood ? GOOD : BAD;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

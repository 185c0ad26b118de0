import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HookServer {
  /** Address of one hook. */
  url(hook: string): string;
  /** What the hook answers from now on; 200 unless told. */
  answers(hook: string, status: number): void;
  /** Bodies of the calls of one hook, in order. */
  calls(hook: string): Record<string, unknown>[];
  stop(): Promise<void>;
}

/** The user's webhooks: gates that the test holds and opens. */
export async function startHookServer(): Promise<HookServer> {
  const statuses = new Map<string, number>();
  const calls = new Map<string, Record<string, unknown>[]>();
  const server = createServer(async (request, response) => {
    const hook = (request.url ?? '').slice(1);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    calls.set(hook, [...(calls.get(hook) ?? []), JSON.parse(Buffer.concat(parts).toString() || '{}')]);
    response.writeHead(statuses.get(hook) ?? 200).end();
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: (hook) => `${base}/${hook}`,
    answers: (hook, status) => void statuses.set(hook, status),
    calls: (hook) => calls.get(hook) ?? [],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

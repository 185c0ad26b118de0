import { createServer } from 'node:http';
import { world } from './world.ts';

export type HookAnswer = number | ((call: Record<string, unknown>) => number);

export interface HookServer {
  /** Address of one hook. */
  url(hook: string): string;
  /** Sets the hook's answer from now on, fixed or computed from its payload; the default is 200. */
  answers(hook: string, status: HookAnswer): void;
  /** Bodies of the calls of one hook, in order. */
  calls(hook: string): Record<string, unknown>[];
  stop(): Promise<void>;
}

/** The user's webhooks: gates that the test holds and opens. */
export async function startHookServer(): Promise<HookServer> {
  const statuses = new Map<string, HookAnswer>();
  const calls = new Map<string, Record<string, unknown>[]>();
  const server = createServer(async (request, response) => {
    const hook = (request.url ?? '').slice(1);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const call: Record<string, unknown> = JSON.parse(Buffer.concat(parts).toString() || '{}');
    calls.set(hook, [...(calls.get(hook) ?? []), call]);
    const status = statuses.get(hook) ?? 200;
    response.writeHead(typeof status === 'function' ? status(call) : status).end();
  });
  const listener = await world().network.listen(server);
  return {
    url: (hook) => `${listener.url}/${hook}`,
    answers: (hook, status) => void statuses.set(hook, status),
    calls: (hook) => calls.get(hook) ?? [],
    stop: () => listener.close(true),
  };
}

import { afterEach, describe, expect, it } from 'vitest';
import { startHealthServer } from './http-server.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of open.splice(0)) await stop();
});

async function served(state: { unlive?: string; unready?: string; metrics?: () => Promise<string> } = {}) {
  const server = await startHealthServer({
    port: 0,
    host: '127.0.0.1',
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: (await state.metrics?.()) ?? 'up 1\n' }),
    unlive: () => state.unlive,
    unready: () => state.unready,
  });
  open.push(server.stop);
  return async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return { status: answer.status, text: await answer.text() };
  };
}

describe('what probes and scrapers ask', () => {
  it('06-F12, D2: a process that is well says OK under the three names of health', async () => {
    const ask = await served();
    for (const path of ['/livez', '/readyz', '/healthz']) expect(await ask(path)).toEqual({ status: 200, text: 'OK' });
    expect(await ask('/healthz?verbose')).toEqual({ status: 200, text: 'OK' });
    expect((await ask('/metrics')).text).toBe('up 1\n');
  });

  it('06-F12: who is not to be counted on says why, and is not restarted for that', async () => {
    const ask = await served({ unready: 'the watch of Canary has been silent for 301 s' });
    expect(await ask('/readyz')).toEqual({ status: 503, text: 'the watch of Canary has been silent for 301 s\n' });
    expect((await ask('/livez')).status).toBe(200);
  });

  it('06-F12: who is to be restarted says why, under the established name as well', async () => {
    const ask = await served({ unlive: 'it hangs' });
    for (const path of ['/livez', '/healthz']) expect(await ask(path)).toEqual({ status: 503, text: 'it hangs\n' });
  });

  it('other paths and methods are refused, and a scrape that fails says so', async () => {
    const ask = await served({ metrics: () => Promise.reject(new Error('no numbers')) });
    expect((await ask('/debug')).status).toBe(404);
    expect((await ask('/livez', 'POST')).status).toBe(405);
    expect(await ask('/metrics')).toEqual({ status: 500, text: 'Error: no numbers\n' });
  });
});

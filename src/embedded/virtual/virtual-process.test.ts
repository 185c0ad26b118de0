import { createServer, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../base/clock.ts';
import { callHttp } from '../http-call.ts';
import type { Network } from '../network.ts';
import { VirtualProcess } from './virtual-process.ts';
import { type VirtualWorld, virtualWorld } from './virtual-world.ts';

const SECOND_MS = 1000;

/** A server that records each request, and the end of each connection. */
async function aServer(world: VirtualWorld) {
  const seen: string[] = [];
  const server = createServer((asked, response) => {
    seen.push(`${asked.url} asked`);
    asked.socket.once('close', () => seen.push(`${asked.url} closed`));
    if (asked.url !== '/never') response.end('ok');
  });
  const { url } = await world.network.listen(server);
  return { seen, url };
}

const ask = (world: VirtualWorld, network: Network, url: string) =>
  callHttp(url, { agent: network.agent(), clock: world.clock, timeoutMs: 3600 * SECOND_MS });

describe('a virtual process', () => {
  it('that is halted gets no timer and no byte, and then all in order', async () => {
    const world = virtualWorld(1);
    const halted = new VirtualProcess(world);
    await world.clock.play(async () => {
      const { seen, url } = await aServer(world);
      const received: string[] = [];
      halted.clock.setTimer(SECOND_MS, () => received.push('first timer'));
      halted.clock.setTimer(2 * SECOND_MS, () => received.push('second timer'));
      const cancel = halted.clock.setTimer(2 * SECOND_MS, () => received.push('cancelled'));
      const answered = ask(world, halted.network, `${url}/one`).then(({ text }) => received.push(text));
      halted.halt();
      await sleep(world.clock, 60 * SECOND_MS);
      cancel();
      expect([received, seen]).toEqual([[], []]);
      halted.resume();
      await answered;
      expect(received.slice(0, 2)).toEqual(['first timer', 'second timer']);
      expect(received.at(-1)).toBe('ok');
    });
  });

  it('that is halted again by a timer keeps the rest for later', async () => {
    const world = virtualWorld(1);
    const halted = new VirtualProcess(world);
    await world.clock.play(async () => {
      const received: number[] = [];
      for (const nth of [1, 2, 3])
        halted.clock.setTimer(nth * SECOND_MS, () => {
          received.push(nth);
          if (nth === 1) halted.halt();
        });
      halted.halt();
      await sleep(world.clock, 10 * SECOND_MS);
      halted.resume();
      await sleep(world.clock, 10 * SECOND_MS);
      expect(received).toEqual([1]);
      halted.resume();
      await sleep(world.clock, 10 * SECOND_MS);
      expect(received).toEqual([1, 2, 3]);
    });
  });

  it('that is killed sends nothing more, receives nothing more, and its connections end', async () => {
    const world = virtualWorld(1);
    const killed = new VirtualProcess(world);
    await world.clock.play(async () => {
      const { seen, url } = await aServer(world);
      const received: string[] = [];
      killed.clock.setTimer(60 * SECOND_MS, () => received.push('timer'));
      const agent = killed.network.agent();
      request(`${url}/never`, { agent })
        .once('error', () =>
          request(`${url}/again`, { agent })
            .once('error', () => undefined)
            .end(),
        )
        .end();
      const own = await killed.network.listen(createServer((_, response) => void response.end()));
      await sleep(world.clock, SECOND_MS);
      killed.kill();
      await sleep(world.clock, 120 * SECOND_MS);
      expect([received, seen]).toEqual([[], ['/never asked', '/never closed']]);
      await expect(ask(world, world.network, own.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../scenarios/eventually.ts';
import { RealClients } from './real-clients.ts';

/** Long enough for a loss to be judged. */
const LATER_MS = 10_000;

let nowMs = 0;
let serves: string | undefined = 'good-1';
let asked = 0;
const proxy = createServer((_, response) => {
  asked += 1;
  response.writeHead(serves === undefined ? 503 : 200, serves === undefined ? {} : { 'x-serin-version': serves }).end();
});
let clients: RealClients | undefined;
afterEach(async () => {
  await clients?.stop();
  proxy.close();
});

const answers = () => clients?.answers(() => false) ?? [];
const askedAgain = async (): Promise<void> => {
  const before = asked;
  // A request in flight at the change has ended when the second one after it begins.
  await eventually(
    'clients ask again',
    async () => asked,
    (now) => now > before + 1,
  );
};

it('a restored application counts once it has answered, and lost requests of the previous one no longer count: real life 130012', async () => {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  clients = new RealClients([`http://127.0.0.1:${port}`], 'podinfo.test', () => nowMs);
  await eventually(
    'it answers',
    async () => answers(),
    ([first]) => first !== undefined && 'version' in first,
  );

  serves = undefined;
  await askedAgain();
  clients.forget();
  nowMs += LATER_MS;
  await askedAgain();
  expect(answers()).toEqual([{ lost: 'no answer yet', isPodsFault: false }]);

  serves = 'good-2';
  await eventually(
    'the restored one answers',
    async () => answers(),
    ([first]) => first !== undefined && 'version' in first,
  );
  expect(answers()).toEqual([{ version: 'good-2', by: 'proxy 1' }]);

  serves = undefined;
  await askedAgain();
  nowMs += LATER_MS;
  expect(answers()[0], 'it answered before').toMatchObject({ lost: expect.stringContaining('proxy 1: '), isPodsFault: false });
});

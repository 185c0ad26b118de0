import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/scenarios/eventually.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import { realWorld } from '../world.ts';
import { startApp } from './app.ts';
import { behaviourOf } from './behaviour.ts';

const context = {
  namespace: 'shop',
  pod: 'web',
  readinessPath: '/readyz',
  podIP: '10.244.0.1',
  containerPort: undefined,
  otherPorts: [],
  world: { ...realWorld, random: () => 1 },
};

it('a pod that gets SIGTERM answers the requests that it has begun, and takes no more', async () => {
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: {} };
  const app = await startApp(behaviourOf(pod), context);
  const url = `http://127.0.0.1:${app.port}/`;
  const begun = request(url, { method: 'POST', agent: false });
  begun.write('the first half');
  const answer = once(begun, 'response');
  await eventually('the request is under way', () => app.inFlight() === 1);
  const closed = app.close();
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  begun.end(', and the rest');
  const [response] = (await answer) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(200);
  await closed;
  expect(app.answered()).toBe(1);
});

it('with ERROR_EVERY the first request fails, and as many between two failures answer, without chance; probes are not counted', async () => {
  const env = [{ name: 'ERROR_EVERY', value: '3' }];
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'web', image: 'web:1', env }] },
  };
  const app = await startApp(behaviourOf(pod), context);
  const statuses: number[] = [];
  for (let asked = 0; asked < 5; asked += 1) {
    await fetch(`http://127.0.0.1:${app.port}/readyz`, { headers: { 'user-agent': 'kube-probe/1' } });
    statuses.push((await fetch(`http://127.0.0.1:${app.port}/`)).status);
  }
  expect(statuses).toEqual([500, 200, 200, 500, 200]);
  await app.close(true);
});

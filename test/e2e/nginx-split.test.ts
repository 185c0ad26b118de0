import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { renderNginxUpstreams } from '../contracts/nginx-upstream.ts';
import { startRealNginx } from './real-nginx.ts';

const REQUESTS = 2000;
/** Standard deviations of a normal distribution: a right share is refused once in a million runs of all cells together. */
const DEVIATIONS = 5.5;

const splitOf = (backends: Record<string, number>): KubeObject => ({
  apiVersion: 'split.smi-spec.io/v1alpha4',
  kind: 'TrafficSplit',
  metadata: { name: 'my-canary', namespace: 'prod' },
  spec: { service: 'web', backends: Object.entries(backends).map(([service, weight]) => ({ service, weight })) },
});

/** Applications that answer with their name, each on ports of its own: what Services would map to. */
const NAMES = ['web-next', 'web-current', 'web-next-admin', 'web-current-admin'];
const servers = new Map<string, Server>();
const ports = new Map<string, number>();
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

beforeAll(async () => {
  for (const name of NAMES) {
    const server = createServer((_, response) => response.end(name));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    servers.set(name, server);
    ports.set(name, (server.address() as AddressInfo).port);
  }
});
afterAll(async () => {
  agent.destroy();
  for (const server of servers.values()) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Number of answers of each backend to these requests. */
async function asked(url: string, requests = REQUESTS): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const request = get(url, { agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.once('end', () => {
          const by = answer.statusCode === 200 ? text : String(answer.statusCode);
          counts[by] = (counts[by] ?? 0) + 1;
          resolve();
        });
      });
      request.once('error', reject);
    });
  for (let sent = 0; sent < requests; sent += 50) await Promise.all(Array.from({ length: 50 }, one));
  return counts;
}

function expectShare(count: number, share: number): void {
  expect(Math.abs(count - REQUESTS * share)).toBeLessThanOrEqual(DEVIATIONS * Math.sqrt(REQUESTS * share * (1 - share)));
}

const look = {
  ports: (service: string) => ({ web: [80, 9090], 'web-next': [80], 'web-current': [80, 9090] })[service],
  addresses: (service: string, port: number) => [`127.0.0.1:${ports.get(port === 80 ? service : `${service}-admin`)}`],
};

describe('an nginx that is configured from a TrafficSplit', () => {
  it.each([
    { weights: { 'web-next': 100, 'web-current': 900 }, next: 0.1 },
    { weights: { 'web-next': 1000, 'web-current': 500 }, next: 2 / 3 },
    { weights: { 'web-next': 1, 'web-current': 99 }, next: 0.01 },
    { weights: { 'web-next': 50, 'web-current': 50 }, next: 0.5 },
    { weights: { 'web-next': 99, 'web-current': 1 }, next: 0.99 },
  ])('divides requests as $weights', async ({ weights, next }) => {
    const nginx = await startRealNginx(renderNginxUpstreams(splitOf(weights), look));
    try {
      const counts = await asked(nginx.urls.web_80 ?? '');
      expect(Object.keys(counts).toSorted()).toEqual(['web-current', 'web-next']);
      expectShare(counts['web-next'] ?? 0, next);
    } finally {
      await nginx.stop();
    }
  });

  it.each([
    { weights: { 'web-next': 0, 'web-current': 7 }, all: 'web-current' },
    { weights: { 'web-next': 1 }, all: 'web-next' },
    { weights: { 'web-next': 1, absent: 1 }, all: 'web-next' },
  ])('sends everything to $all by $weights', async ({ weights, all }) => {
    const nginx = await startRealNginx(renderNginxUpstreams(splitOf(weights), look));
    try {
      expect(await asked(nginx.urls.web_80 ?? '')).toEqual({ [all]: REQUESTS });
    } finally {
      await nginx.stop();
    }
  });

  it('leaves out the backend that lacks a port, for that port, and sends requests to the address of each backend', async () => {
    const nginx = await startRealNginx(renderNginxUpstreams(splitOf({ 'web-next': 50, 'web-current': 50 }), look));
    try {
      expect(await asked(nginx.urls.web_9090 ?? '')).toEqual({ 'web-current-admin': REQUESTS });
      expectShare((await asked(nginx.urls.web_80 ?? ''))['web-next'] ?? 0, 0.5);
    } finally {
      await nginx.stop();
    }
  });
});

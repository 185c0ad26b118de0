import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { expect, it } from 'vitest';
import { NotAllowedError } from './connection.ts';
import { directAgents, portOf, proxiedAgents, urlHost } from './egress-agents.ts';

it.each([
  { url: 'http://proxy.example.org', host: 'proxy.example.org', port: 80 },
  { url: 'https://proxy.example.org', host: 'proxy.example.org', port: 443 },
  { url: 'http://10.0.0.1:3128', host: '10.0.0.1', port: 3128 },
  { url: 'https://user:word@[2001:db8::1]:8443', host: '2001:db8::1', port: 8443 },
])('a proxy $url is called at $host, port $port', ({ url, host, port }) => {
  expect([urlHost(new URL(url)), portOf(new URL(url))]).toEqual([host, port]);
});

it.each(['http://proxy.example.org:3128', 'https://proxy.example.org'])(
  'requests to http and https addresses go through a proxy %s',
  (url) => {
    const rules = { problemOf: () => undefined, lookup: () => undefined, reached: () => undefined };
    const agents = proxiedAgents(new URL(url), rules);
    expect(agents?.agent).toEqual({ http: expect.any(HttpAgent), https: expect.any(HttpsAgent) });
    agents?.end();
  },
);

/** A client can be led elsewhere after its first address was judged. */
it.each([
  { how: 'directly', agentsBy: directAgents },
  {
    how: 'through a proxy',
    agentsBy: (rules: Parameters<typeof directAgents>[0]) => proxiedAgents(new URL('http://192.0.2.1:3128'), rules),
  },
])('an agent opens no connection $how to a host that is refused', async ({ agentsBy }) => {
  const asked: string[] = [];
  const problemOf = (host: string) => (asked.push(host) > 0 ? `${host} is refused` : undefined);
  const agents = agentsBy({ problemOf, lookup: () => undefined, reached: () => undefined });
  for (const protocol of ['http', 'https'] as const) {
    const opened = new Promise((resolve) => {
      agents?.agent[protocol].createConnection({ host: '169.254.169.254', port: 1 }, resolve);
    });
    expect(await opened).toEqual(new NotAllowedError('169.254.169.254 is refused'));
  }
  expect(asked).toEqual(['169.254.169.254', '169.254.169.254']);
  agents?.end();
});

import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { weight } from '../../src/api/routes.ts';
import { raw } from '../fakes/raw.ts';
import { eventually } from './eventually.ts';
import { istioGatewayApi } from './providers/gateway-api.ts';
import { askAt } from './route-rows.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor, SplitApp } from './shares/split-app.ts';

const NAMESPACE = 'route-ports';
const HTTP = 80;
const ADMIN = 9090;

/** A Service of the user's with two ports, which is the parent of the route. `urlOf`: where requests to a port of it go in. */
export function describeServicePorts(environmentOf: () => ShareEnvironment, urlOf: (port: number) => string): void {
  it('I17: a route for the Service itself leads its own port, and other ports stay with the Service', async () => {
    const { cluster } = environmentOf();
    await namespacesFor(cluster, [NAMESPACE]);
    const fixture = {
      ...istioGatewayApi,
      service: (app: { name: string }) => ({ gatewayRefs: [{ group: '', kind: 'Service', name: app.name }] }),
    };
    const app = await SplitApp.run(
      environmentOf(),
      fixture,
      { name: 'shop', namespace: NAMESPACE },
      {
        pods: {
          ports: [
            { name: 'http', containerPort: 8080 },
            { name: 'http-admin', containerPort: ADMIN },
          ],
          found: [
            { name: 'http', port: HTTP, targetPort: 'http' },
            { name: 'http-admin', port: ADMIN, targetPort: ADMIN },
          ],
        },
      },
    );
    await app.route({ kind: 'weighted', canary: weight(100) });
    const route = istioGatewayApi.route({ name: 'shop', namespace: NAMESPACE });
    const answers = () =>
      Promise.all(
        [HTTP, ADMIN].map(async (port) => {
          const { version, port: at } = await askAt(urlOf(port), { host: port === HTTP ? app.host : `${app.host}:${port}` }, {});
          return { version, at };
        }),
      );
    const isSo = (expected: object[]) => eventually('each port leads to its own', answers, (got) => isDeepStrictEqual(got, expected));
    await isSo([
      { version: '2', at: 8080 },
      { version: '1', at: ADMIN },
    ]);
    const [parent] = raw(await cluster.get(route))?.spec.parentRefs ?? [];
    expect(parent).toMatchObject({ name: 'shop', port: HTTP });
    // Without a port it is one for all of them.
    const { port: _, ...every } = parent;
    await cluster.patch(route, { spec: { parentRefs: [every] } });
    await isSo([
      { version: '2', at: 8080 },
      { version: '2', at: 8080 },
    ]);
  });
}

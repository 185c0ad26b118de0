import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { refOf } from '../../src/api/kube-object.ts';
import { weight } from '../../src/api/routes.ts';
import { eventually } from './eventually.ts';
import { ask } from './istio/ask.ts';
import { changes } from './istio/changes.ts';
import { delegation, gateways } from './istio/gateways.ts';
import { matches } from './istio/matches.ts';
import { describeMirroring } from './istio/mirroring.ts';
import { CLIENT, GATEWAY, gatewayObject, type IstioEnvironment } from './istio/places.ts';
import { describePolicies } from './istio/policies.ts';
import { ports } from './istio/ports.ts';
import { resilience } from './istio/resilience.ts';
import type { Row } from './istio/row.ts';
import { describeTcp } from './istio/tcp.ts';
import { istio } from './providers/istio.ts';
import { only, primary } from './route-rows.ts';
import { namespacesFor, SplitApp } from './shares/split-app.ts';
import { playUsersRoutes } from './users-routes.ts';
import { afterAll, beforeAll } from './world.ts';

/** Settings of `spec.service` and `analysis.match` that users can write, and their effect on requests. */
const TABLES: Readonly<Record<string, readonly Row[]>> = { matches, changes, resilience, gateways, delegation, ports };

/** The routes that Serin writes for Istio, read by the data plane of the environment. */
export function describeIstioRoutes(start: () => Promise<IstioEnvironment>): void {
  const namespace = 'istio-routes';
  let environment: IstioEnvironment;
  beforeAll(async () => {
    environment = await start();
    await namespacesFor(environment.cluster, [namespace]);
    await makeGateway(environment);
  }, 180_000);
  afterAll(() => environment?.stop());

  const plain = 'istio-services';
  /** 0: nothing listens, as in a mesh without any Service. */
  const statusOf = (host: string) =>
    ask(environment, { host }).then(
      ({ status }) => status,
      () => 0,
    );
  const statuses = () => Promise.all(Object.keys(SERVICES).map((name) => statusOf(`${name}.${plain}`)));

  it('a Service without a ready port answers 503, until a VirtualService for every host takes all Services without one of their own', async () => {
    const { cluster } = environment;
    await namespacesFor(cluster, [plain]);
    await applyServices(environment, plain);
    const app = await SplitApp.run(environment, istio, { name: 'own', namespace: plain });
    await app.route({ kind: 'weighted', canary: weight(100) });
    const expected = Object.values(SERVICES).map(({ status }) => status);
    await eventually('the Services answer as they should', statuses, (got) => isDeepStrictEqual(got, expected));
    const everyHost = await cluster.create({
      apiVersion: 'networking.istio.io/v1beta1',
      kind: 'VirtualService',
      metadata: { name: 'every-host', namespace: plain },
      spec: { hosts: ['*'], gateways: ['mesh'], http: [{ route: [{ destination: { host: 'plain' } }] }] },
    });
    await eventually('it takes all of them', statuses, (got) => got.every((status) => status === 200));
    expect((await ask(environment, { host: app.host })).version).toBe('2');
    expect(await statusOf('nowhere.example.org')).not.toBe(200);
    await cluster.delete(refOf(everyHost));
  });

  for (const [table, rows] of Object.entries(TABLES))
    describe.concurrent(table, () => {
      it.each(rows.map((row, index) => ({ ...row, index })))('$what', async (row) => {
        const { service = {}, routes = primary, pods = {}, objects, asks, index } = row;
        const fixture = { ...istio, service: () => service, ...(objects && { objects }) };
        const app = await SplitApp.run(environment, fixture, { name: `${table}-${index}`, namespace }, { pods });
        await app.route(routes);
        const got = await Promise.all(asks.map(([asked]) => ask(environment, { host: app.host, ...asked })));
        expect(got.map((answer, each) => only(answer, asks[each]?.[1] ?? {}))).toEqual(asks.map(([, expected]) => expected));
      });
    });

  playUsersRoutes(() => environment, istio, { namespace, ask: (app, asked) => ask(environment, { host: app.host, ...asked }) });
  describeMirroring(() => environment, namespace);
  describePolicies(() => environment, namespace);
  describeTcp(() => environment, namespace);
}

/** On the real plane the gateway already exists. */
async function makeGateway({ cluster, entries }: IstioEnvironment): Promise<void> {
  if (entries) return;
  await namespacesFor(cluster, [CLIENT.namespace, GATEWAY.namespace]);
  await cluster.create(gatewayObject);
}

const HTTP = { name: 'http', port: 80, targetPort: 'http' };
/** Services of pods whose container port is called `http`. */
const SERVICES: Record<string, { selects?: string; ports?: readonly object[]; status: number }> = {
  plain: { status: 200 },
  'names-no-port-of-the-pods': { ports: [{ ...HTTP, targetPort: 'admin' }], status: 503 },
  'names-a-port-of-the-pods-second': {
    ports: [
      { ...HTTP, targetPort: 'admin' },
      { ...HTTP, name: 'also', port: 81 },
    ],
    status: 503,
  },
  'selects-no-pod': { selects: 'nothing', status: 503 },
};

/** A ready pod of version 1, and the Services before it. */
async function applyServices({ cluster }: IstioEnvironment, namespace: string): Promise<void> {
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace, labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] }] },
  });
  for (const [name, { selects = 'web', ports = [HTTP] }] of Object.entries(SERVICES))
    await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { selector: { app: selects }, ports } });
}

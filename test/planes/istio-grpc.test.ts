import { describe, expect, it } from 'vitest';
import { weight } from '../../src/api/routes.ts';
import { anEnvironment } from '../scenarios/environment.ts';
import type { AppName } from '../scenarios/providers/provider-fixture.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { askMany } from '../scenarios/shares/ask-many.ts';
import { namespacesFor, SplitApp } from '../scenarios/shares/split-app.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGrpcGround } from './grpc-ground.ts';
import { istioGrpc as fixture, istioProxyCase } from './istio-case.ts';
import { startIstioGatewayApi } from './istio-plane.ts';
import { describeLag } from './lag.ts';

const start = () => startGrpcGround(startIstioGatewayApi);

describe('shares by GRPCRoutes in istiod', () => describeShares([fixture], { requests: 2_000, seed: 1, start }));

describe('GRPCRoutes in istiod', () => {
  const environmentOf = anEnvironment(start);
  describeRealProxy(environmentOf, { ...istioProxyCase, fixture, name: 'istio-grpc' });
  describeLag(fixture, environmentOf);

  it('calls of metadata go to the canary, all others to the primary, each to its end', async () => {
    const { cluster, client } = environmentOf();
    const namespace = 'grpc-metadata';
    await namespacesFor(cluster, [namespace]);
    const app = await SplitApp.run(environmentOf(), fixture, { name: 'insiders', namespace });
    await app.route({ kind: 'weighted', canary: weight(0) });
    await app.route({ kind: 'matched', match: [{ headers: { 'x-user': { exact: 'insider' } } }] });
    expect(await cluster.get(fixture.route({ name: 'insiders', namespace }))).toBeDefined();
    const before = client.ended();
    const by = async (user: string) => (await askMany({ ...app.target, headers: { ...app.target.headers, 'x-user': user } }, 50)).byVersion;
    expect(await by('insider')).toEqual({ 2: 50 });
    expect(await by('insiders')).toEqual({ 1: 50 });
    expect(client.ended() - before).toBe(100);
  });

  it.each([
    { what: 'its service', name: 'service', uri: { prefix: '/web.v1.Shop/' }, answered: { 1: 20 } },
    { what: 'its service and method', name: 'method', uri: { exact: '/web.v1.Shop/Buy' }, answered: { 1: 20 } },
    { what: 'another method', name: 'other-method', uri: { exact: '/web.v1.Shop/Sell' }, answered: { '200 gRPC status 12': 20 } },
    { what: 'another service', name: 'other-service', uri: { prefix: '/web.v1.Bank/' }, answered: { '200 gRPC status 12': 20 } },
  ])('a route for $what: other calls are not implemented', async ({ name, uri, answered }) => {
    const namespace = `grpc-${name}`;
    await namespacesFor(environmentOf().cluster, [namespace]);
    const only = { ...fixture, service: (app: AppName) => ({ ...fixture.service?.(app), match: [{ uri }] }) };
    const app = await SplitApp.run(environmentOf(), only, { name, namespace });
    await app.route({ kind: 'weighted', canary: weight(0) });
    expect((await askMany(app.target, 20)).byVersion).toEqual(answered);
  });
});

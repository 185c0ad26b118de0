import { describe, expect, it } from 'vitest';
import { weight } from '../../src/api/routes.ts';
import { eventually } from '../scenarios/eventually.ts';
import { canaryFor, parsed } from '../scenarios/providers/canary-for.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import { ask, playRows, type Row } from '../scenarios/route-rows.ts';
import { askMany } from '../scenarios/shares/ask-many.ts';
import type { ShareEnvironment } from '../scenarios/shares/share-environment.ts';
import { apexOf, namespacesFor, routerOf, SplitApp } from '../scenarios/shares/split-app.ts';
import { afterAll, beforeAll } from '../scenarios/world.ts';
import { startGatewayPlane, throughEdge } from './gateway-plane.ts';
import { startGround } from './ground.ts';

const NAMESPACE = 'limits';
const CORS = { corsPolicy: { allowOrigins: [{ exact: 'https://shop.example' }] } };

/** The Gateway API joins prefix and replacement by one slash, whichever of them ends with one. */
const REWRITES: readonly Row[] = [
  {
    what: 'the root as a prefix that is rewritten is joined without a slash',
    service: { match: [{ uri: { prefix: '/' } }], rewrite: { uri: '/v2', type: 'ReplacePrefixMatch' } },
    asks: [[{ path: '/cart' }, { version: '1', path: '/v2cart' }]],
  },
  {
    what: 'a replacement with a slash at its end is joined with two',
    service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/v2/', type: 'ReplacePrefixMatch' } },
    asks: [[{ path: '/shop/cart' }, { version: '1', path: '/v2//cart' }]],
  },
];

/** True for the pinned version. A newer version that follows the specification fails these tests; then update docs/meshes.md. */
describe('Contour deviates from the Gateway API', () => {
  let environment: ShareEnvironment;
  beforeAll(async () => {
    environment = await startGround(startGatewayPlane, { judgesHttpRoutes: false });
    await namespacesFor(environment.cluster, [NAMESPACE]);
  }, 180_000);
  afterAll(() => environment?.stop());

  playRows(() => environment, throughEdge, REWRITES, NAMESPACE);

  it('a part of the copies is all of them', async () => {
    const app = await SplitApp.run(environment, throughEdge, { name: 'copied', namespace: NAMESPACE });
    await app.route({ kind: 'mirrored', share: weight(10) });
    expect((await askMany(app.target, 200)).byVersion).toEqual({ 1: 200 });
    await eventually(
      'every request is copied',
      () => environment.mesh.counts().mirrored[`${NAMESPACE}/copied`],
      (copies) => copies === 200,
    );
  });

  it('the other backends get the share of a backend that does not exist', async () => {
    const name = { name: 'gone', namespace: NAMESPACE };
    const app = await SplitApp.run(environment, throughEdge, name);
    await app.route({ kind: 'weighted', canary: weight(50) });
    await environment.cluster.delete({ apiVersion: 'v1', kind: 'Service', name: 'gone-canary', namespace: NAMESPACE });
    const route = () => environment.cluster.get(throughEdge.route(name));
    await eventually('the status says so', route, (now) => JSON.stringify(now?.status).includes('BackendNotFound'));
    await eventually(
      'all are answered by the other',
      () => askMany(app.target, 100),
      ({ byVersion }) => byVersion[1] === 100,
    );
  });

  it('CORS is refused, which the router reports; requests go on as before', async () => {
    const { cluster } = environment;
    const name = { name: 'cors', namespace: NAMESPACE };
    const fixture: ProviderFixture = { ...throughEdge, service: (app) => ({ ...throughEdge.service?.(app), ...CORS }) };
    const app = await SplitApp.run(environment, fixture, name);
    const router = routerOf(fixture);
    const canary = parsed(canaryFor(fixture, name, {}));
    const current = () => Promise.all(router.watches(canary).map((ref) => cluster.get(ref))).then((all) => all.flatMap((one) => one ?? []));
    const { write } = router.render(canary, apexOf(name), { kind: 'weighted', canary: weight(50) }, await current());
    for (const object of write) await cluster.apply(object);
    const rejection = async () => router.rejection?.(canary, await current())?.detail;
    await eventually('it is refused', rejection, (text) =>
      text?.includes('says Accepted False of HTTPRoute cors: HTTPRoute.Spec.Rules.Filters'),
    );
    expect(router.isInForce?.(canary, await current())).toBe(false);
    expect(await ask(app.target, {})).toMatchObject({ status: 200 });
  });
});

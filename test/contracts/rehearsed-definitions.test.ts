import { expect, it } from 'vitest';
import { Provider } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { weight } from '../../src/api/routes.ts';
import { definitionsFor } from '../../src/rehearsal/definitions.ts';
import { routerFor } from '../../src/routers/index.ts';
import type { Raw } from '../fakes/raw.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import { aCanary, anApex } from './routers-cases.ts';

/** Kinds of the API server itself. */
const BUILT_IN = new Set(['v1', 'apps/v1', 'networking.k8s.io/v1', 'autoscaling/v2', 'autoscaling/v1']);

const served = (definitions: readonly KubeObject[]): string[] =>
  definitions.flatMap(({ spec }: Raw) =>
    (spec.versions as { name: string }[]).map(({ name }) => `${spec.group}/${name} ${spec.names.kind as string}`),
  );

it.each(providerFixtures.map((fixture) => [fixture.provider, fixture] as const))(
  '%s: a rehearsal serves every kind that its router reads and writes',
  (provider, { spec, service, objects }) => {
    const app = { name: 'shop', namespace: 'prod' };
    const router = routerFor(provider);
    if ('unsupported' in router) throw new Error(router.unsupported);
    const canary = aCanary({ provider, ...spec?.(app), service: service?.(app) ?? {} });
    const { write } = router.render(canary, anApex, { kind: 'weighted', canary: weight(10) }, objects?.(app) ?? []);
    const kinds = [...write, ...router.watches(canary)]
      .filter(({ apiVersion }) => !BUILT_IN.has(apiVersion))
      .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    expect(served(definitionsFor(provider, []))).toEqual(expect.arrayContaining(kinds));
  },
);

it('a Canary without a provider is served the kinds of all providers, and one object of another group brings the kinds of its group', () => {
  const all = served(definitionsFor(undefined, []));
  for (const provider of Provider.options) expect(all).toEqual(expect.arrayContaining(served(definitionsFor(provider, []))));
  const route = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'web' } };
  expect(served(definitionsFor('istio', []))).not.toContain('gateway.networking.k8s.io/v1 Gateway');
  expect(served(definitionsFor('istio', [route]))).toContain('gateway.networking.k8s.io/v1 Gateway');
});

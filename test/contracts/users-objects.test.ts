import { describe, expect, it } from 'vitest';
import { type Provider, providers } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Routes, weight } from '../../src/api/routes.ts';
import { routers } from '../../src/routers/index.ts';
import { routerCases } from './routers/index.ts';
import { aCanary, anApex } from './routers-cases.ts';

/** Everything that a release of a Canary of this provider writes, for a share and where it can for a condition and for copies. */
function writtenBy(provider: Provider): { canary: ReturnType<typeof aCanary>; objects: KubeObject[] } {
  const { spec = {}, service = {}, inPlace = [] } = routerCases[provider] ?? {};
  const { supports } = routers[provider];
  const match = [{ headers: { 'x-user': { exact: 'insider' } } }];
  const canary = aCanary({
    ...spec,
    service,
    analysis: { ...(supports.headerMatch && { match, iterations: 5 }), ...(supports.mirroring && { mirror: true }) },
  });
  const routes: Routes[] = [
    { kind: 'weighted', canary: weight(0) },
    ...(supports.headerMatch ? [{ kind: 'matched', match } as const] : []),
    ...(supports.mirroring ? [{ kind: 'mirrored', share: weight(100) } as const] : []),
  ];
  const objects = routes.flatMap((one) => routers[provider].render(canary, anApex, one, [...inPlace]).write);
  return { canary, objects: [...new Map(objects.map((one) => [`${one.kind} ${one.metadata.name}`, one])).values()] };
}

/** Another object of the user, with the name of an object that Serin writes. */
const usersOwn = ({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  spec: { theirs: { host: 'elsewhere' } },
});

/** The target itself, whose traffic block is put back. */
const TARGETS = new Set(['knative']);

describe.each(providers.filter((provider) => !TARGETS.has(provider)))(
  'I17: an object of the user’s under a name that %s writes',
  (provider) => {
    const { canary, objects } = writtenBy(provider);
    const router = routers[provider];

    it.each(objects.map((object) => ({ what: `${object.kind} ${object.metadata.name}`, object })))(
      '$what is written in part, or refused before the first write',
      ({ object }) => {
        const own = usersOwn(object);
        if (router.isUsers?.(own)) return;
        const unkept = router.unkept?.(canary, [own]) ?? [];
        expect(unkept.map(({ on, isRefused }) => [on.metadata.name, isRefused])).toEqual([[own.metadata.name, true]]);
        // Handed over, or made by Serin: as ever.
        const handed = { ...own, metadata: { ...own.metadata, annotations: { 'serin.dev/adopt': 'true' } } };
        expect(router.unkept?.(canary, [handed]) ?? []).toEqual([]);
      },
    );

    it('deletion removes nothing of the user’s', () => {
      const { remove } = router.finalize(canary, objects.map(usersOwn));
      expect(remove).toEqual([]);
    });
  },
);

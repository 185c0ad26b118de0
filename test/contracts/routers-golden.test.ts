import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { resolveSelectors } from '../../src/api/selector-label.ts';
import { routerFor } from '../../src/routers/index.ts';
import type { Router } from '../../src/routers/router.ts';
import { discoverPorts, renderServices } from '../../src/routers/services.ts';
import { routerCases } from './routers/index.ts';
import { casesIn, deepFreeze, goldenFile, publishedCrds, structuralErrors, toYaml } from './routers-cases.ts';

function router(provider: string): Router {
  const found = routerFor(provider);
  if ('unsupported' in found) throw new Error(found.unsupported);
  return found;
}

const golden = Map.groupBy(
  Object.values(routerCases).filter(({ golden }) => golden !== undefined),
  ({ golden }) => golden ?? '',
);

describe.each([...golden])('golden files of %s', (folder, [routerCase]) => {
  const cases = casesIn(folder);

  it.each(cases)(`${folder} renders $name: $note`, async ({ name, provider = folder, canary, apex, routes, current }) => {
    const { write } = router(provider).render(deepFreeze(canary), deepFreeze(apex), deepFreeze(routes), deepFreeze(current));
    await expect(toYaml(write)).toMatchFileSnapshot(goldenFile(folder, name));
  });

  // The first form of App Mesh was never published in a form that Kubernetes still takes.
  if (routerCase?.crds === undefined || routerCase.crds === 'built in') return;
  const crds = publishedCrds(routerCase.crds);
  it.each(cases)(
    `${folder}: $name renders objects that the published CRD accepts`,
    ({ provider = folder, canary, apex, routes, current }) => {
      const { write } = router(provider).render(canary, apex, routes, current);
      expect(write.flatMap((object) => structuralErrors(object, crds))).toEqual([]);
    },
  );
});

describe('golden files of the Services', () => {
  it.each(casesIn('services'))('services: $name: $note', async ({ name, canary, apex, current, apexOnPrimary = true, target }) => {
    const selector = target ? resolveSelectors({ target }, ['app', 'name', 'app.kubernetes.io/name']) : apex.selector;
    if ('problem' in selector) throw new Error(selector.problem);
    const found = (suffix: string): KubeObject | undefined => current.find((object) => object.metadata.name === `shop${suffix}`);
    const [apexFound, primary, canaryFound] = [found(''), found('-primary'), found('-canary')];
    const rendered = renderServices(
      deepFreeze(canary),
      deepFreeze({ selector, ports: target ? discoverPorts(canary, target, apexFound) : apex.ports }),
      { ...(apexFound ? { apex: apexFound } : {}), ...(primary ? { primary } : {}), ...(canaryFound ? { canary: canaryFound } : {}) },
      { apexOnPrimary },
    );
    await expect(toYaml('error' in rendered ? [rendered] : rendered.write)).toMatchFileSnapshot(goldenFile('services', name));
  });
});

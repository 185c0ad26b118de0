import { describe, expect, it } from 'vitest';
import type { Provider } from '../../src/api/canary.ts';
import { asCustomResourceDefinition } from '../../src/api/kinds/custom-resource-definition.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { routerFor, routers } from '../../src/routers/index.ts';
import { routerCases } from '../contracts/routers/index.ts';
import { publishedCrds } from '../contracts/routers-cases.ts';
import { raw } from '../fakes/raw.ts';
import { applyShape } from './accepted/apply-shape.ts';
import { shapesOf } from './accepted/shapes.ts';
import { eventually } from './eventually.ts';
import { until } from './until.ts';
import { beforeAll } from './world.ts';

const LEAST_SHAPES = 10;
/** No CRD of App Mesh v1beta1 is published that Kubernetes takes since 1.22. */
const withoutCrds: readonly Provider[] = ['appmesh'];
const withObjects = Object.entries(routers).flatMap(([provider, router]) =>
  typeof router !== 'string' && router.supports.weights ? [provider as Provider] : [],
);

/** Each router's objects, against the CRDs that the provider itself publishes. */
export function describeAcceptedRoutes(clusterOf: () => Cluster): void {
  it('every provider that writes routing objects is tried', () => {
    expect(withObjects.filter((provider) => routerCases[provider]?.crds === undefined)).toEqual(withoutCrds);
  });

  describe.each(withObjects.filter((provider) => routerCases[provider]?.crds !== undefined))('%s', (provider) => {
    const { golden, crds: file = 'built in' } = routerCases[provider] ?? {};
    const crds = file === 'built in' ? [] : publishedCrds(file);
    const shapes = shapesOf(provider, golden);
    const router = routerFor(provider);
    if ('unsupported' in router) throw new Error(router.unsupported);

    beforeAll(async () => {
      await install(clusterOf(), crds);
    });

    it(`has at least ${LEAST_SHAPES} shapes`, () => expect(shapes.length).toBeGreaterThanOrEqual(LEAST_SHAPES));

    it.each(shapes)('$name is accepted, and nothing is left to write when it is rendered again', async (shape) => {
      const { rejections, read } = await applyShape(clusterOf(), router, shape);
      expect(rejections).toEqual([]);
      // Conditions come back as the provider spells them; the contract suite compares those. The share is what a release goes on from.
      expect(shareIn(read)).toEqual(shareIn(shape.routes));
    });
  });
}

function shareIn(routes: unknown): object {
  const { kind, canary, share } = routes as { kind?: string; canary?: number; share?: number };
  return { kind, canary, share };
}

async function install(cluster: Cluster, crds: readonly KubeObject[]): Promise<void> {
  for (const { status: _, ...crd } of crds) await cluster.apply(crd as KubeObject);
  for (const crd of crds)
    await until(cluster, refOf(crd), 'is established', (now) =>
      raw(now)?.status?.conditions?.some(
        ({ type, status }: { type: string; status: string }) => type === 'Established' && status === 'True',
      ),
    );
  // Discovery learns of a definition some time after that.
  for (const { spec } of crds.map(asCustomResourceDefinition))
    for (const { name, served } of spec.versions)
      if (served) await eventually(`${spec.names.kind} is served`, () => isServed(cluster, `${spec.group}/${name}`, spec.names.kind));
}

async function isServed(cluster: Cluster, apiVersion: string, kind: string): Promise<boolean> {
  try {
    await cluster.list({ apiVersion, kind });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

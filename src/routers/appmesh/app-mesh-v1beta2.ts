import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { factsOf } from '../../api/providers.ts';
import { isRecord } from '../../base/json.ts';
import { givenBack, keeping } from '../found-in-place.ts';
import { type NamesOurSides, namesServicesIn } from '../original-spec.ts';
import type { Apex, Router } from '../router.ts';
import { rejectionOf } from '../routing-error.ts';
import { ownAmong, takenNames } from '../taken-names.ts';
import { v1beta2 } from './dialect.ts';
import { gatewayAnnotations, logging, nodeMetadata, protocolOf } from './metadata.ts';
import { readMeshRoutes } from './read.ts';
import { checkMeshSpec, renderCanaryRoute, renderMeshRoutes, requestTimeoutMs } from './render.ts';

const apiVersion = 'appmesh.k8s.aws/v1beta2';

const namesOurSides = (canary: Canary) => namesServicesIn('name', canary);

/** AWS App Mesh, second form: VirtualRouters hold the routes, and each has a VirtualService of its name. */
export const appMeshV1beta2: Router = {
  supports: factsOf('appmesh:v1beta2').can,
  refuses: (canary) => rejectionOf(() => checkMeshSpec(canary)),
  unkept: (canary, objects) => [
    ...takenNames(objects, refsOf(canary, 'VirtualNode'), { made: 'the VirtualNode that Serin makes for one side' }),
    ...takenNames(objects, refsOf(canary, 'VirtualRouter'), { made: 'the VirtualRouter that Serin makes', isRestored: true }),
    ...takenNames(objects, refsOf(canary, 'VirtualService'), {
      made: 'the VirtualService that Serin makes',
      isRestored: true,
      // By its nodes, which have the pods of the application.
      keeps: ({ provider, ...others }) =>
        isRecord(provider) &&
        provider.virtualNode !== undefined &&
        Object.keys(others).every((field) => field === 'awsName' || field === 'meshRef'),
      remedy: 'let it lead only to the VirtualNode of the application',
    }),
  ],
  watches: (canary) => [...refsOf(canary, 'VirtualNode'), ...refsOf(canary, 'VirtualRouter'), ...refsOf(canary, 'VirtualService')],
  prepare: renderNodes,
  render(canary, apex, routes, current) {
    const { apexService, canaryService } = names(canary);
    const routers = [
      { name: canaryService, routes: [renderCanaryRoute(canary, v1beta2)], metadata: {} },
      { name: apexService, routes: renderMeshRoutes(canary, routes, v1beta2), metadata: gatewayAnnotations(canary) },
    ];
    return {
      write: [
        ...renderNodes(canary, apex),
        // The VirtualService is written again when it is gone or changed: Flagger makes it once only.
        ...routers.flatMap(({ name, routes, metadata }) => [
          keeping(renderRouter(canary, name, routes), current, namesOurSides(canary)),
          keeping(renderService(canary, name, metadata), current, routesTo(name)),
        ]),
      ],
      remove: [],
    };
  },
  readRoutes(canary, current) {
    const [ref] = refsOf(canary, 'VirtualRouter');
    const found = ref && findObject(current, ref);
    return found && readMeshRoutes(canary, specOf<{ routes: unknown }>(found).routes, v1beta2, `VirtualRouter ${ref.name}`);
  },
  finalize(canary, current) {
    const routers = givenBack(refsOf(canary, 'VirtualRouter'), current, () => namesOurSides(canary));
    // If a VirtualService leads to an earlier router of its name, both belong to that router's owner.
    const isTheirs = (name: string) => routers.write.some((router) => router.metadata.name === name);
    const refs = refsOf(canary, 'VirtualService').filter(({ name }) => !isTheirs(name));
    const services = givenBack(refs, current, ({ name }) => routesTo(name));
    const nodes = ownAmong(canary, refsOf(canary, 'VirtualNode'), current);
    return { write: [...routers.write, ...services.write], remove: [...services.remove, ...routers.remove, ...nodes] };
  },
  // Without its nodes it leads nowhere, and clients inside the mesh know the Service too.
  afterDeletion: () => 'goes',
};

function refsOf(canary: Canary, kind: 'VirtualNode' | 'VirtualRouter' | 'VirtualService'): ObjectRef[] {
  const { apexService, primaryService, canaryService } = names(canary);
  const { namespace } = canary.metadata;
  return [kind === 'VirtualNode' ? primaryService : apexService, canaryService].map((name) => ({ apiVersion, kind, name, namespace }));
}

/** A VirtualService names no side: it is ours if its provider is the router of its own name. */
const routesTo =
  (name: string): NamesOurSides =>
  (spec) =>
    (spec as { provider?: { virtualRouter?: { virtualRouterRef?: { name?: string } } } }).provider?.virtualRouter?.virtualRouterRef
      ?.name === name;

/** The port of the pods, where it is a number. */
function portOf({ spec: { service } }: Canary): number {
  const { targetPort, port } = service;
  return typeof targetPort === 'number' && targetPort > 0 ? targetPort : port;
}

const listenerOf = (canary: Canary) => ({ portMapping: { port: portOf(canary), protocol: protocolOf(canary) } });

/** Selected as the Services select them: Flagger's selector takes the target's name for the label's value. */
function renderNodes(canary: Canary, { selector }: Apex): KubeObject[] {
  const { canaryService } = names(canary);
  const { backends = [] } = canary.spec.service;
  const { key, target, primary, whole = { [key]: target }, wholePrimary = { [key]: primary } } = selector;
  const timeoutMs = requestTimeoutMs(canary);
  const timeout = timeoutMs === undefined ? {} : { timeout: { http: { perRequest: { unit: 'ms', value: timeoutMs } } } };
  return refsOf(canary, 'VirtualNode').map(({ kind, name }) => ({
    apiVersion,
    kind,
    metadata: nodeMetadata(canary, name),
    spec: {
      podSelector: { matchLabels: name === canaryService ? whole : wholePrimary },
      listeners: [{ ...listenerOf(canary), ...timeout }],
      serviceDiscovery: { dns: { hostname: `${name}.${canary.metadata.namespace}.svc.cluster.local.` } },
      ...(backends.length > 0 ? { backends: backends.map((backend) => ({ virtualService: backendOf(backend) })) } : {}),
      ...logging(canary),
    },
  }));
}

function backendOf(backend: string): object {
  return backend.startsWith('arn:aws') ? { virtualServiceARN: backend } : { virtualServiceRef: { name: backend } };
}

function renderRouter(canary: Canary, name: string, routes: object[]): KubeObject {
  const metadata = { name, namespace: canary.metadata.namespace };
  return { apiVersion, kind: 'VirtualRouter', metadata, spec: { listeners: [listenerOf(canary)], routes } };
}

function renderService(canary: Canary, name: string, annotated: { annotations?: Record<string, string> }): KubeObject {
  return {
    apiVersion,
    kind: 'VirtualService',
    metadata: { name, namespace: canary.metadata.namespace, ...annotated },
    spec: { provider: { virtualRouter: { virtualRouterRef: { name } } } },
  };
}

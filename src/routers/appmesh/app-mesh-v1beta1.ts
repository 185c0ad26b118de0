import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { findObject, type KubeObject, type Labels, type ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { factsOf } from '../../api/providers.ts';
import { givenBack, keeping } from '../found-in-place.ts';
import { namesServicesIn } from '../original-spec.ts';
import type { Router } from '../router.ts';
import { RoutingError, rejectionOf } from '../routing-error.ts';
import { ownAmong, takenNames } from '../taken-names.ts';
import { v1beta1 } from './dialect.ts';
import { gatewayAnnotations, logging, nodeMetadata, protocolOf } from './metadata.ts';
import { readMeshRoutes } from './read.ts';
import { checkMeshSpec, renderCanaryRoute, renderMeshRoutes } from './render.ts';

const apiVersion = 'appmesh.k8s.aws/v1beta1';

const namesOurSides = (canary: Canary) => namesServicesIn('virtualNodeName', canary);

/** AWS App Mesh, first form: VirtualServices hold the routes. */
export const appMeshV1beta1: Router = {
  supports: factsOf('appmesh').can,
  refuses: (canary) =>
    rejectionOf(() => {
      if (!canary.spec.service.meshName) throw RoutingError.at('service.meshName', 'is missing: App Mesh needs the name of the mesh');
      checkMeshSpec(canary);
    }),
  unkept: (canary, objects) => [
    ...takenNames(objects, nodeRefs(canary), { made: 'the VirtualNode that Serin makes' }),
    ...takenNames(objects, serviceRefs(canary), { made: 'the VirtualService that Serin makes', isRestored: true }),
  ],
  watches: (canary) => [...nodeRefs(canary), ...serviceRefs(canary)],
  prepare: renderNodes,
  render(canary, _apex, routes, current) {
    const { apexService, canaryService } = names(canary);
    const apex = renderService(canary, apexService, renderMeshRoutes(canary, routes, v1beta1), gatewayAnnotations(canary));
    return {
      write: [
        ...renderNodes(canary),
        renderService(canary, canaryService, [renderCanaryRoute(canary, v1beta1)]),
        keeping(apex, current, namesOurSides(canary)),
      ],
      remove: [],
    };
  },
  readRoutes(canary, current) {
    const ref = serviceRef(canary, names(canary).apexService);
    const found = findObject(current, ref);
    return found && readMeshRoutes(canary, specOf<{ routes: unknown }>(found).routes, v1beta1, `VirtualService ${ref.name}`);
  },
  finalize: (canary, current) => {
    const { write, remove } = givenBack(serviceRefs(canary), current, () => namesOurSides(canary));
    return { write, remove: [...remove, ...ownAmong(canary, nodeRefs(canary), current)] };
  },
  // Without its nodes it leads nowhere, and clients inside the mesh know the Service too.
  afterDeletion: () => 'goes',
};

/** Their names are the hosts that clients call. */
function serviceRef({ metadata: { namespace } }: Canary, service: string): ObjectRef {
  return { apiVersion, kind: 'VirtualService', name: `${service}.${namespace}`, namespace };
}

function serviceRefs(canary: Canary): ObjectRef[] {
  const { apexService, canaryService } = names(canary);
  return [serviceRef(canary, apexService), serviceRef(canary, canaryService)];
}

function nodeRefs(canary: Canary): ObjectRef[] {
  const { apexService, primaryService, canaryService } = names(canary);
  const { namespace } = canary.metadata;
  return [apexService, primaryService, canaryService].map((name) => ({ apiVersion, kind: 'VirtualNode', name, namespace }));
}

/** The node of the apex represents the primary. */
function renderNodes(canary: Canary): KubeObject[] {
  const { metadata, spec } = canary;
  const { meshName = '', port, backends = [] } = spec.service;
  const { apexService, primaryService } = names(canary);
  return nodeRefs(canary).map(({ kind, name }) => ({
    apiVersion,
    kind,
    metadata: nodeMetadata(canary, name),
    spec: {
      meshName,
      listeners: [{ portMapping: { port, protocol: protocolOf(canary) } }],
      serviceDiscovery: { dns: { hostName: `${name === apexService ? primaryService : name}.${metadata.namespace}` } },
      ...(backends.length > 0 ? { backends: backends.map((virtualServiceName) => ({ virtualService: { virtualServiceName } })) } : {}),
      ...logging(canary),
    },
  }));
}

function renderService(canary: Canary, service: string, routes: object[], annotated: { annotations?: Labels } = {}): KubeObject {
  const { kind, name } = serviceRef(canary, service);
  const { meshName = '', port } = canary.spec.service;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: canary.metadata.namespace, ...annotated },
    spec: {
      meshName,
      virtualRouter: { name: service, listeners: [{ portMapping: { port, protocol: protocolOf(canary) } }] },
      routes,
    },
  };
}

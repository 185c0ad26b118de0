import type { Canary } from '../../api/canary.ts';
import type { IngressPath } from '../../api/kinds/ingress.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Unkept } from '../router.ts';
import { takenNames } from '../taken-names.ts';
import { copyRefs } from './copy.ts';
import { ingressApiVersion, rulesOf, serviceOf } from './ingress-rules.ts';

/** The Ingresses of the Canary's namespace: the copied one, and all others but the copy. */
export interface FoundIngresses {
  source: KubeObject | undefined;
  others: readonly KubeObject[];
}

export function ingressesOf(canary: Canary, objects: readonly KubeObject[]): FoundIngresses {
  const { sourceRef, copyRef } = copyRefs(canary);
  const keyOf = (object: KubeObject) => refKey({ ...refOf(object), apiVersion: ingressApiVersion });
  const found = objects.filter(
    ({ apiVersion, kind, metadata }) =>
      kind === 'Ingress' && groupOf(apiVersion) === groupOf(ingressApiVersion) && metadata.namespace === canary.metadata.namespace,
  );
  const isAt = (object: KubeObject, ref: typeof sourceRef) => ref !== undefined && keyOf(object) === refKey(ref);
  return {
    source: found.find((one) => isAt(one, sourceRef)),
    others: found.filter((one) => !isAt(one, sourceRef) && !isAt(one, copyRef)),
  };
}

type Backend = NonNullable<IngressPath['backend']>;

/**
 * Parts of an Ingress that its copy does not keep, or does not get. `joinsUpstreams`: the controller gives the share of a copied path to all backends of the same
 * Service that write the same port.
 */
export function unkeptIngresses(canary: Canary, objects: readonly KubeObject[], joinsUpstreams = false): Unkept[] {
  const { copyRef } = copyRefs(canary);
  const { source, others } = ingressesOf(canary, objects);
  const { apexService } = names(canary);
  const name = canary.spec.ingressRef?.name ?? '';
  const isOurs = (backend: Backend | undefined): backend is Backend => backend?.service?.name === apexService;
  const split = joinsUpstreams && source ? new Set(backendsOf(source).filter(isOurs).map(portOf)) : new Set<string>();
  const isPast = (backend: Backend | undefined) => isOurs(backend) && !split.has(portOf(backend));
  const unweighted = { isRefused: false, remedy: `move its paths to Ingress ${name}, which spec.ingressRef names` };
  const past = others.flatMap((on): Unkept[] => {
    const field = backendsOf(on).some(isPast) ? 'spec.rules' : isPast(defaultOf(on)) ? 'spec.defaultBackend' : undefined;
    if (field === undefined) return [];
    return [{ ...unweighted, on, field, detail: `leads to Service ${apexService}, and its requests get no share of a canary` }];
  });
  return [
    ...takenNames(objects, copyRef ? [copyRef] : [], { made: `the copy that Serin makes of Ingress ${name}` }),
    ...past,
    ...(source && isPast(defaultOf(source))
      ? [
          {
            ...{ on: source, field: 'spec.defaultBackend', isRefused: false },
            detail: `leads to Service ${apexService}, and requests that no path is for get no share of a canary`,
            remedy: 'write a rule with path / in its place',
          },
        ]
      : []),
  ];
}

const backendsOf = (ingress: KubeObject): Backend[] =>
  rulesOf(ingress).flatMap(({ http }) => (http?.paths ?? []).flatMap(({ backend }) => (backend ? [backend] : [])));

const defaultOf = (ingress: KubeObject): Backend | undefined => specOf<{ defaultBackend: Backend }>(ingress).defaultBackend;

/** As it is written: the same port by name and by number are two. */
const portOf = ({ service }: Backend): string => JSON.stringify(service?.port);

/** The first path of an Ingress that is also one of the application's. Its own words: `host/path`. */
export function sharedPath(canary: Canary, source: KubeObject, other: KubeObject): string | undefined {
  const { apexService } = names(canary);
  const pathsOf = (ingress: KubeObject, isMeant: (path: IngressPath) => boolean) =>
    rulesOf(ingress).flatMap(({ host = '*', http }) => (http?.paths ?? []).filter(isMeant).map(({ path = '/' }) => `${host}${path}`));
  const own = new Set(pathsOf(source, (path) => serviceOf(path) === apexService));
  return pathsOf(other, (path) => serviceOf(path) !== apexService).find((path) => own.has(path));
}

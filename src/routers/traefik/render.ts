import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes } from '../../api/routes.ts';
import { namesIn } from '../original-spec.ts';
import { RoutingError } from '../routing-error.ts';
import { refUnderApex } from '../routing-metadata.ts';
import { ALL, primaryWeight } from '../weights.ts';

export const noMatch = 'Traefik chooses requests in your own IngressRoute, which is not ours to change: remove analysis.match';

export const serviceRef = (canary: Canary): ObjectRef => refUnderApex(canary, 'traefik.io/v1alpha1', 'TraefikService');

export function mirrorRef(canary: Canary): ObjectRef {
  return { ...serviceRef(canary), name: names(canary).mirrorService };
}

/** Recognises a spec that names one of our sides or our mirror. */
export function ours(canary: Canary) {
  const { primaryService, canaryService, mirrorService } = names(canary);
  return namesIn('name', [primaryService, canaryService, mirrorService]);
}

/** `spec.weighted.services` of the apex TraefikService. Throws a RoutingError for routes that match. */
export function servicesFor(canary: Canary, routes: Routes): object[] {
  switch (routes.kind) {
    case 'weighted':
      if (routes.match?.length) throw new RoutingError(noMatch, 'analysis.match');
      return weighted(canary, routes.canary);
    case 'mirrored': {
      const { kind, name, namespace } = mirrorRef(canary);
      return [{ kind, name, namespace, weight: ALL }];
    }
    case 'matched':
      throw new RoutingError(noMatch, 'analysis.match');
    default:
      throw routes satisfies never;
  }
}

/**
 * A side without a share is left out: Traefik takes a missing weight for 1, and drops the whole TraefikService if one of its services has no
 * endpoints, with any weight.
 */
export function weighted(canary: Canary, share: number): object[] {
  const { primaryService, canaryService } = names(canary);
  return [
    { ...traefikService(canary, primaryService), weight: primaryWeight(share) },
    { ...traefikService(canary, canaryService), weight: share },
  ].filter(({ weight }) => weight > 0);
}

/**
 * An object of its own: the apex one stays `weighted`, which wins over `mirroring` and can be the user's in part, so that it can never be left behind without
 * services.
 */
export function mirror(canary: Canary, share: number, current: readonly KubeObject[]): KubeObject {
  const { primaryService, canaryService } = names(canary);
  const { apiVersion, kind, name, namespace = '' } = mirrorRef(canary);
  const found = findObject(current, mirrorRef(canary));
  if (found && !ours(canary)(found.spec ?? {}))
    throw new RoutingError(
      `TraefikService ${name} is not one of this Canary, which mirrors by that name: rename it, or set analysis.mirror to false`,
      'analysis.mirror',
    );
  const mirrors = [{ ...traefikService(canary, canaryService), percent: share }];
  return { apiVersion, kind, metadata: { name, namespace }, spec: { mirroring: { ...traefikService(canary, primaryService), mirrors } } };
}

export function traefikService(canary: Canary, name: string): { name: string; namespace: string; port: number } {
  return { name, namespace: canary.metadata.namespace, port: canary.spec.service.port };
}

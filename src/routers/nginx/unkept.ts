import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ingressesOf, sharedPath } from '../ingress/unkept.ts';
import type { Unkept } from '../router.ts';
import { isCanaryMark } from './read.ts';

/**
 * Canary Ingresses of the user's: ingress-nginx takes the first of a path, and reads no other. Source: `route_to_alternative_balancer`. `key` gives the
 * annotation of a name.
 */
export function unkeptCanaries(canary: Canary, objects: readonly KubeObject[], key: (name: string) => string): Unkept[] {
  const { source, others } = ingressesOf(canary, objects);
  if (!source) return [];
  const annotationsOf = ({ metadata }: KubeObject) => metadata.annotations ?? {};
  const isCanary = (ingress: KubeObject) => isCanaryMark(annotationsOf(ingress)[key('canary')]);
  const field = (name: string) => `metadata.annotations[${key(name)}]`;
  const asked = 'put its condition into analysis.match of the Canary';
  if (isCanary(source))
    return [
      {
        ...{ on: source, field: field('canary'), isRefused: true },
        detail:
          'makes it the canary of another Ingress, of which ingress-nginx takes one for a path, so that the copy of it would get no request',
        remedy: `name in spec.ingressRef the Ingress that it is the canary of, and ${asked}`,
      },
    ];
  const rivals = others.filter(isCanary).flatMap((on): Unkept[] => {
    const path = sharedPath(canary, source, on);
    if (path === undefined) return [];
    return [
      {
        ...{ on, field: field('canary'), isRefused: true },
        detail: `makes it a canary of Ingress ${source.metadata.name} at ${path}, and ingress-nginx takes one for a path: it, or the canary of Serin, would get no request`,
        remedy: `give it a path or host of its own, or remove it and ${asked}`,
      },
    ];
  });
  const idle = Object.entries(annotationsOf(source)).find(([name, value]) => name.startsWith(key('canary-')) && value !== '');
  if (!idle) return rivals;
  return [
    ...rivals,
    {
      ...{ on: source, field: `metadata.annotations[${idle[0]}]`, isRefused: false },
      detail: `says nothing without ${key('canary')}, and the copy that Serin makes does not have it`,
      remedy: asked,
    },
  ];
}

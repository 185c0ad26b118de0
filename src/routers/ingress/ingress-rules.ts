import type { IngressPath, IngressRule } from '../../api/kinds/ingress.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { MADE_AND_REMOVED, routes } from '../provider.ts';

export const ingressApiVersion = 'networking.k8s.io/v1';

export function ingressRef(name: string, namespace: string): ObjectRef {
  return { apiVersion: ingressApiVersion, kind: 'Ingress', name, namespace };
}

/** Rules, unmodified; a rule can lack `http`, which says nothing of a backend. */
export function rulesOf(ingress: KubeObject): readonly IngressRule[] {
  const { rules } = specOf<{ rules: IngressRule[] }>(ingress);
  return Array.isArray(rules) ? rules : [];
}

/** `undefined` if the backend is not a Service. */
export function serviceOf(path: IngressPath): string | undefined {
  return path.backend?.service?.name;
}

/** The rules that lead to a Service, with only the paths that do, each replaced by the result of `change`. */
export function rulesFor(
  ingress: KubeObject,
  service: string,
  change: (path: IngressPath, rule: IngressRule) => readonly IngressPath[],
): IngressRule[] {
  return rulesOf(ingress).flatMap((rule) => {
    const paths = (rule.http?.paths ?? []).filter((path) => serviceOf(path) === service);
    if (paths.length === 0) return [];
    return [{ ...(rule.host === undefined ? {} : { host: rule.host }), http: { paths: paths.flatMap((path) => change(path, rule)) } }];
  });
}

/** The same path with another Service behind it. */
export function leadingTo(path: IngressPath, service: string): IngressPath {
  const copy = structuredClone(path);
  return { ...copy, backend: { ...copy.backend, service: { ...copy.backend?.service, name: service } } };
}

/** Tests if any path leads to the Service. */
export function leadsTo(ingress: KubeObject, service: string): boolean {
  return rulesOf(ingress).some((rule) => (rule.http?.paths ?? []).some((path) => serviceOf(path) === service));
}

export const ingressPermissions = [routes('networking.k8s.io', ['ingresses'], MADE_AND_REMOVED)];

import { asIngress } from '../../api/kinds/ingress.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { LaggedView } from './lagged-view.ts';
import type { ObservedKind } from './resolver.ts';

export const ingressKind: ObservedKind = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' };

/** One path of an Ingress, with its rule and its object. */
export interface IngressHostPath {
  ingress: KubeObject;
  /** Empty for any host. */
  host: string;
  path: string;
  pathType: string;
  service: string;
  /** Number or name. */
  port: string;
}

/** The Ingresses of one class, the oldest first; `isDefault`: also Ingresses without a class. */
export function meshIngresses(view: LaggedView, className: string, isDefault: boolean): KubeObject[] {
  return view
    .list('Ingress')
    .filter((ingress) => {
      const { metadata, spec } = asIngress(ingress);
      const named = spec?.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class'];
      return named === undefined ? isDefault : named === className;
    })
    .toSorted((a, b) => ageOf(a).localeCompare(ageOf(b)));
}

const ageOf = ({ metadata }: KubeObject): string => `${metadata.creationTimestamp ?? ''}/${metadata.namespace}/${metadata.name}`;

/** Paths with a Service behind them; rules without `http` have none. */
export function pathsOf(ingress: KubeObject): IngressHostPath[] {
  return (asIngress(ingress).spec?.rules ?? []).flatMap(({ host = '', http }) =>
    (http?.paths ?? []).flatMap(({ path, pathType = 'ImplementationSpecific', backend }) => {
      const { name: service, port } = backend?.service ?? {};
      if (service === undefined) return [];
      const { number, name = '' } = (port ?? {}) as { number?: number; name?: string };
      return [{ ingress, host, path: path || '/', pathType, service, port: String(number ?? name) }];
    }),
  );
}

/** Fit of a rule's host: 3 the very host, 2 a wildcard of one label, 1 any host; 0 not at all. Source: Ingress v1, "Hostname wildcards". */
export function hostFit(pattern: string, host: string): number {
  if (pattern === '') return 1;
  if (pattern === host) return 3;
  return pattern.startsWith('*.') && host.split('.').slice(1).join('.') === pattern.slice(2) ? 2 : 0;
}

/** `Prefix` compares path elements, `Exact` the whole, everything else the beginning of the text, as ingress controllers do. */
export function pathFits({ path, pathType }: Pick<IngressHostPath, 'path' | 'pathType'>, asked: string): boolean {
  if (pathType === 'Exact') return asked === path;
  if (pathType !== 'Prefix') return asked.startsWith(path);
  const prefix = path.endsWith('/') ? path.slice(0, -1) : path;
  return asked === prefix || asked.startsWith(`${prefix}/`);
}

/** An exact path goes before a prefix, a longer one before a shorter one. */
export function bestPath<T extends IngressHostPath>(routes: readonly T[], asked: string): T | undefined {
  const fitting = routes.filter((route) => pathFits(route, asked));
  return fitting.find(({ pathType }) => pathType === 'Exact') ?? fitting.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** The value of one cookie of a Cookie header. nginx compares names of cookies without regard to case. */
export function ingressCookie(
  header: string | undefined,
  name: string,
  spelling: 'as written' | 'in any case' = 'as written',
): string | undefined {
  const form = (text: string) => (spelling === 'as written' ? text : text.toLowerCase());
  for (const pair of (header ?? '').split(';')) {
    const [key = '', ...value] = pair.trim().split('=');
    if (form(key) === form(name)) return value.join('=');
  }
  return undefined;
}

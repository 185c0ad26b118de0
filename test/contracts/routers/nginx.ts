import type { HttpMatch } from '../../../src/api/routes.ts';
import { anIngress } from './ingress.ts';
import { mean } from './queries.ts';
import { besideUsers, type RouterCase, type RouterCases } from './router-case.ts';

const selector = 'namespace="shop", ingress="front", canary!=""';

const PREFIX = 'nginx.ingress.kubernetes.io';

/** Restated, so that a router that refuses too much is seen: one entry of one header, in the characters that ingress-nginx takes. */
const isExpressible = (match: readonly HttpMatch[]): boolean =>
  match.some(({ headers = {}, queryParams = {} }) => {
    const [[name, condition] = [], ...others] = Object.entries(headers);
    if (name === undefined || others.length > 0 || name === 'cookie' || Object.keys(queryParams).length > 0) return false;
    const [[form = '', text = ''] = []] = Object.entries(condition ?? {});
    if (form === 'exact' && /^[\w.-]+( [\w.-]+)*$/.test(text)) return true;
    return !/[ ;]/.test(text);
  });

const nginx: RouterCase = {
  golden: 'nginx',
  crds: 'built in',
  afterDeletion: besideUsers,
  queries: {
    metric: 'nginx_ingress_controller_requests',
    selector,

    succeeded: 'status!~"5.*"',
    duration: mean('nginx_ingress_controller_response_duration_seconds', selector),
    unit: 'ms',
  },
  lacks: { mirroring: 'no annotation of a canary', sessionAffinity: 'its cookies are its own, and tied to pods' },
  spec: { ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop-ingress' } },
  inPlace: [anIngress('nginx')],
  foreignSpec: {},
  sums: ({ metadata }) => {
    const share = Number(metadata.annotations?.[`${PREFIX}/canary-weight`]);
    // The primary has what is left of 100.
    return [Number.isInteger(share) && share >= 0 && share <= 100 ? 100 : Number.NaN];
  },
  ownNames: ['shop-ingress-canary'],
  isConditioned: ([copy]) =>
    copy?.metadata.annotations?.[`${PREFIX}/canary-weight`] === '0' &&
    copy.metadata.annotations[`${PREFIX}/canary-by-header-value`] === 'insider',
  conditions: { mostEntries: 3, mostHeaders: 2 },
  refuses: (routes) =>
    routes.kind !== 'mirrored' && routes.match !== undefined && (routes.kind === 'weighted' || !isExpressible(routes.match)),
};

export const cases: RouterCases = { nginx };

import type { Tenant } from './tenant.ts';

/** Ways for an attack to end well. Besides, the checks of its class hold for each of them. */
export type Expectation =
  /** The API server refuses the object, or a condition or an event of the Canary says this: the name of the field. */
  | { names: string }
  /** The Canary has its first version running and a release of it begins, as for any other. */
  | { passes: true }
  /** Serin need not say anything: the checks of the class decide. */
  | { harmless: true }
  /** The API server refuses one of the requests, with these words. */
  | { refused: string }
  /** Throws where the attack has won something. */
  | { holds(tenant: Tenant): Promise<unknown> };

export interface Attack {
  /** Class and number; also the name of the tenant's objects, in lower case. */
  id: string;
  what: string;
  /** Source of the idea, a key of `sources`. */
  from: Source;
  do(tenant: Tenant): Promise<unknown>;
  expects: Expectation;
}

export interface AttackClass {
  /** Part of the names of its namespaces. */
  name: string;
  title: string;
  /** Flags of the controller beside the usual ones. */
  flags?: Record<string, string>;
  /** Clusters without RBAC and admission policies cannot play it. */
  needs?: 'a real API server';
  /** The controller is started again when all attacks are made, and the neighbour releases once more. */
  isRestarted?: boolean;
  attacks: readonly Attack[];
  /** Known, and not tried here. */
  uncovered: readonly string[];
}

export const sources = {
  'issue 14': 'the 275 attacks of the session before, in 20 findings',
  'issue 44': 'a second adversary: the dashboard, the load tester, outgoing calls, Secrets, hostile files',
  crd: 'the fields of the three resources, one by one: what is the worst value?',
  docs: 'pages in docs/: each promise turned round',
  flagger: 'status fields and defects of Flagger',
  owasp:
    'OWASP Kubernetes Top Ten (K01 workloads, K02 supply chain, K03 RBAC, K04 policy, K05 logging, K06 authentication, K08 secrets, K09 components)',
  'CWE-20': 'improper input validation',
  'CWE-22': 'path traversal',
  'CWE-74': 'injection into another language or protocol',
  'CWE-79': 'cross-site scripting',
  'CWE-93': 'CRLF injection',
  'CWE-117': 'log injection',
  'CWE-150': 'escape sequences for terminals',
  'CWE-200': 'exposure of sensitive information',
  'CWE-284': 'improper access control: an object of another owner',
  'CWE-345': 'insufficient verification of authenticity',
  'CWE-367': 'time of check, time of use',
  'CWE-400': 'uncontrolled resource consumption',
  'CWE-409': 'compression bombs',
  'CWE-441': 'confused deputy',
  'CWE-601': 'open redirects',
  'CWE-674': 'uncontrolled recursion',
  'CWE-681': 'conversion between numeric types',
  'CWE-770': 'allocation without limits',
  'CWE-918': 'server-side request forgery',
  'CWE-1007': 'homoglyphs',
  'CWE-1321': 'prototype pollution',
  'CWE-1333': 'regular expressions of exponential cost',
  'CVE-2020-8554': 'Kubernetes: traffic captured by external IPs of a Service',
  'CVE-2020-8559': 'Kubernetes: redirects followed with credentials',
  'CVE-2020-8561': 'Kubernetes: webhook redirects to networks that the caller cannot reach',
  'CVE-2021-25735': 'Kubernetes: admission that reads fields of the old object',
  'CVE-2021-25740': 'Kubernetes: endpoints that point into other namespaces',
  'CVE-2021-25742': 'ingress-nginx: snippets in annotations read the secrets of all',
  'CVE-2022-24348': 'Argo CD: paths out of a Helm chart',
  'CVE-2022-24817': 'Flux: kubeconfigs of tenants run commands in the controller',
  'CVE-2022-29165': 'Argo CD: forged identities are believed',
  'CVE-2022-36035': 'Flux: path traversal in the command line',
  'CVE-2023-40584': 'Argo CD: archives without a limit exhaust the disk; here, answers',
  'CVE-2024-31989': 'Argo CD: a neighbour reaches the cache of the controller',
  istio: 'Istio security best practices: hosts and gateways of another namespace',
  flux: 'Flux multi-tenancy lockdown: references to other namespaces are off',
  'gateway-api': 'Gateway API security model: ReferenceGrant, allowedRoutes',
  kubernetes: 'Kubernetes security documentation: owner references, finalizers, service accounts, quotas',
} as const;
export type Source = keyof typeof sources;

export const harmless: Expectation = { harmless: true };

export function attack(from: Source, what: string, expects: Expectation, act: Attack['do']): Omit<Attack, 'id'> {
  return { what, from, expects, do: act };
}

/** Numbers the attacks of a class in their order. */
export function numbered(prefix: string, attacks: readonly Omit<Attack, 'id'>[]): Attack[] {
  return attacks.map((attack, index) => ({ ...attack, id: `${prefix}-${String(index + 1).padStart(2, '0')}` }));
}

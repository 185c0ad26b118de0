import type { Permission, RbacVerb } from '../../src/api/permission.ts';
import { permissionsBesideSecrets, secretPermissionsFor } from '../../src/controller/permissions.ts';
import type { Mode } from './modes.ts';

/** The effect of a right, as a row of docs/rights.md: the answer for one mode. */
export interface Danger {
  what: string;
  answer(mode: Mode): string;
}

/** Verbs whose answer holds the object: a patch that changes nothing also returns it. */
const READING: readonly RbacVerb[] = ['get', 'list', 'watch', 'patch'];
const WRITING: readonly RbacVerb[] = ['create', 'patch'];

const scopeOf = ({ namespaces }: Mode): string => (namespaces ? 'in `namespaces`' : 'everywhere');
const secretsScopeOf = (mode: Mode): string => (mode.secretsNamespaces ? 'in `secrets.namespaces`' : scopeOf(mode));

/** All, those named, or none, of the objects of these resources. */
function reach(permissions: readonly Permission[], resources: readonly string[], verbs: readonly RbacVerb[]): 'all' | 'named' | 'none' {
  const granting = permissions.filter(
    (one) => one.resources.some((resource) => resources.includes(resource)) && one.verbs.some((verb) => verbs.includes(verb)),
  );
  if (granting.length === 0) return 'none';
  return granting.every(({ names }) => names !== undefined) ? 'named' : 'all';
}

const inWords = (reached: 'all' | 'named' | 'none', named: string, scope: string): string =>
  ({ all: scope, named: `${named}, ${scope}`, none: 'none' })[reached];

const secretsAnswer =
  (verbs: readonly RbacVerb[], named: string) =>
  (mode: Mode): string =>
    inWords(reach(secretPermissionsFor(mode.features), ['secrets'], verbs), named, secretsScopeOf(mode));

const answer =
  (resources: readonly string[], verbs: readonly RbacVerb[]) =>
  (mode: Mode): string =>
    inWords(reach(permissionsBesideSecrets(mode.features), resources, verbs), 'some', scopeOf(mode));

const PRIMARIES = '`<name>-primary`';

export const dangers = {
  readSecrets: { what: 'read Secrets through the API', answer: secretsAnswer(READING, 'those named') },
  findSecrets: {
    what: 'find Secrets whose names it does not know',
    answer: (mode) => {
      const reached = reach(secretPermissionsFor(mode.features), ['secrets'], ['list', 'watch']);
      return reached === 'all' ? secretsScopeOf(mode) : 'none';
    },
  },
  changeSecrets: { what: 'change, replace or delete Secrets', answer: secretsAnswer(['patch', 'delete'], PRIMARIES) },
  obtainTokens: {
    what: 'obtain tokens of service accounts by a Secret of type `kubernetes.io/service-account-token`',
    answer: (mode) => {
      const rules = secretPermissionsFor(mode.features);
      const isOpen = reach(rules, ['secrets'], ['create']) === 'all' && reach(rules, ['secrets'], READING) === 'all';
      return isOpen ? secretsScopeOf(mode) : 'none';
    },
  },
  runCode: {
    what: 'run code by pod templates, as any service account there and with any Secret mounted',
    answer: answer(['deployments', 'daemonsets'], WRITING),
  },
  readConfigMaps: { what: 'read ConfigMaps', answer: answer(['configmaps'], READING) },
  changeConfigMaps: { what: 'change, replace or delete ConfigMaps', answer: answer(['configmaps'], ['patch', 'delete']) },
  readPods: { what: 'read pods, with what their environment says in plain text', answer: answer(['pods'], READING) },
  moveTraffic: { what: 'move or stop the traffic of Services', answer: answer(['services'], WRITING) },
  openNetwork: {
    what: 'admit with NetworkPolicies what others keep out',
    answer: answer(['networkpolicies'], ['create', 'patch', 'delete']),
  },
  holdDrains: { what: 'hold up drains of nodes', answer: answer(['poddisruptionbudgets'], ['create', 'patch']) },
  scaleToZero: { what: 'scale Deployments to zero', answer: answer(['deployments/scale', 'deployments'], ['patch']) },
  forgeReleases: { what: 'stop releases, or forge their status', answer: answer(['canaries/status'], ['patch']) },
  deleteWorkloads: {
    what: 'delete Deployments, DaemonSets, Services or namespaces',
    answer: answer(['deployments', 'daemonsets', 'services', 'namespaces'], ['delete']),
  },
} satisfies Record<string, Danger>;
export type Dangers = keyof typeof dangers;

/** Rights that no role of Serin is allowed to hold: a right to more rights, or to the inside of a pod or node. */
const neverGranted = {
  verbs: ['*', 'impersonate', 'escalate', 'bind', 'approve', 'sign'],
  groups: ['*', 'rbac.authorization.k8s.io', 'admissionregistration.k8s.io', 'certificates.k8s.io', 'authentication.k8s.io'],
  resources: ['serviceaccounts', 'serviceaccounts/token', 'pods/exec', 'pods/attach', 'pods/portforward', 'nodes', 'nodes/proxy'],
};

/** Pods of a canary are watched during its release (E27a). A right to write them runs code as any service account. */
const grantedOnPods = ['list', 'watch'];

/** The parts of a rule that lead to further rights. */
export function overreach(rule: { apiGroups: readonly string[]; resources: readonly string[]; verbs: readonly string[] }): string[] {
  const { verbs, groups, resources } = neverGranted;
  return [
    ...rule.verbs.filter((verb) => verbs.includes(verb)),
    ...rule.apiGroups.filter((group) => groups.includes(group)),
    ...rule.resources.filter((resource) => resources.includes(resource)),
    ...rule.resources.filter((resource) => resource === 'pods' && !rule.verbs.every((verb) => grantedOnPods.includes(verb))),
    // Only external metrics have no fixed names.
    ...rule.resources.filter((resource) => resource === '*' && !rule.apiGroups.every((group) => group === 'external.metrics.k8s.io')),
  ];
}

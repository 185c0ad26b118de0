import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { AuthorizedRequest } from '../../src/embedded/apiserver/index.ts';
import { raw } from './raw.ts';

interface Rule {
  apiGroups: readonly string[];
  resources: readonly string[];
  verbs: readonly string[];
  resourceNames?: readonly string[];
}
type Request = Omit<AuthorizedRequest, 'userAgent'>;

/** One verb on one resource of a printed rule, and on one name if the rule has names. */
export interface Grant {
  /** Empty for a ClusterRole. */
  namespace: string;
  /** Empty for all names. */
  name: string;
  group: string;
  resource: string;
  verb: string;
}

/** Roles and their bindings to one account, evaluated as RBAC does (k8s.io/kubernetes/pkg/apis/rbac/v1/evaluation_helpers.go). */
export class Rbac {
  readonly grants: readonly Grant[];

  /** Only what is bound to the account counts. */
  constructor(yaml: string, account: { namespace: string; name: string }) {
    const objects = parseAllDocuments(yaml).map((document): KubeObject => document.toJS());
    const bound = objects.filter(({ kind }) => kind.endsWith('Binding')).filter((binding) => isOf(binding, account));
    this.grants = bound.flatMap((binding) => {
      const { roleRef } = raw(binding);
      const { namespace = '' } = binding.metadata;
      const roles = objects.filter(
        ({ kind, metadata }) => kind === roleRef.kind && metadata.name === roleRef.name && (metadata.namespace ?? '') === namespace,
      );
      return roles.flatMap((role) => raw(role).rules).flatMap((rule: Rule) => grantsOf(rule, namespace));
    });
  }

  allows(request: Request): boolean {
    return this.grants.some((grant) => covers(grant, request));
  }

  /** Grants that no request needs: without each of them, all these requests would also have been allowed. */
  unused(requests: readonly Request[]): Grant[] {
    return this.grants.filter((grant) => !requests.some((request) => covers(grant, request)));
  }
}

function isOf(binding: KubeObject, { namespace, name }: { namespace: string; name: string }): boolean {
  const subjects: { kind: string; name: string; namespace: string }[] = raw(binding).subjects;
  return subjects.some((one) => one.kind === 'ServiceAccount' && one.name === name && one.namespace === namespace);
}

const grantsOf = (rule: Rule, namespace: string): Grant[] =>
  rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) => (rule.resourceNames ?? ['']).map((name) => ({ namespace, group, resource, verb, name }))),
    ),
  );

function covers({ namespace, name, group, resource, verb }: Grant, request: Request): boolean {
  if (namespace !== '' && namespace !== request.namespace) return false;
  if (group !== request.group || verb !== request.verb) return false;
  if (resource !== '*' && resource !== request.resource) return false;
  return name === '' || name === request.name;
}

/** `patch deployments/scale.apps`, `get secrets [slack]`. */
export const grantName = ({ verb, resource, group, name }: Pick<Grant, 'verb' | 'resource' | 'group' | 'name'>): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}${name === '' ? '' : ` [${name}]`}`;

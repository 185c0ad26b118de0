import { apiVersion } from '../../src/api/canary.ts';
import { requestAnnotation } from '../../src/api/names.ts';
import { verbDefinitions } from '../../src/api/verb-definitions.ts';
import { LONGEST_NAME, requestId, Verb } from '../../src/api/verb-request.ts';

/** Verbs on `canaries` that no request to the API server has: RBAC grants them, and the policy checks them. */
export const virtualVerbs = ['promote', 'rollback', 'pause', 'approve'] as const;
export type VirtualVerb = (typeof virtualVerbs)[number];

/** The verb of each request. */
export const rightOf = Object.fromEntries(Object.entries(verbDefinitions).map(([verb, { takes }]) => [verb, takes])) as Record<
  Verb,
  VirtualVerb
>;

/** In these phases a promotion approves what waits for its gate, and `approve` is enough. */
export const approvedPhases = ['Waiting', 'WaitingPromotion'] as const;

/** Stricter than the controller's own reading, which takes any time that can be read at all. */
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$/;

/** CEL takes the literals of JSON, also with the other quotes, which read better in YAML; nothing here holds either. */
const literal = (value: unknown): string => JSON.stringify(value).replaceAll('"', "'");
const requestOf = (object: string): string => `${object}.metadata.?annotations[?${literal(requestAnnotation)}]`;
/** Only the first rule rejects a request that cannot be read. */
const ifReadable = (expression: string): string => `!variables.isReadable || ${expression}`;

const canaries = { group: apiVersion.split('/')[0] ?? '', version: apiVersion.split('/')[1] ?? '', resource: 'canaries' };
const FORM = `a request is <verb> <id> <RFC 3339 time> <user name>, and the verbs are ${Verb.options.join(', ')}`;

/**
 * The spec of a ValidatingAdmissionPolicy (Kubernetes 1.30 and later): a request is written by a user who has the right to it, and in their own name. Nothing
 * is evaluated for a write that keeps the request unchanged or removes it; the status is not part of it.
 */
export function requestPolicy(): object {
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [canaries.group],
          apiVersions: [canaries.version],
          operations: ['CREATE', 'UPDATE'],
          resources: [canaries.resource],
        },
      ],
    },
    matchConditions: [
      { name: 'has-a-request', expression: `${requestOf('object')}.hasValue()` },
      { name: 'that-is-new', expression: `oldObject == null || ${requestOf('oldObject')} != ${requestOf('object')}` },
    ],
    variables: [
      // The name is everything after the third space.
      { name: 'words', expression: `object.metadata.annotations[${literal(requestAnnotation)}].split(' ', 4)` },
      {
        name: 'isReadable',
        expression: [
          'size(variables.words) == 4',
          `variables.words[0] in ${literal(Verb.options)}`,
          `variables.words[1].matches(${literal(requestId.source)})`,
          `variables.words[2].matches(${literal(TIME.source)})`,
          `variables.words[3] != '' && size(variables.words[3]) <= ${LONGEST_NAME}`,
        ].join(' && '),
      },
      // The request before this write: a write of the Canary cannot change it too.
      { name: 'phase', expression: `oldObject == null ? '' : oldObject.?status.?phase.orValue('')` },
      { name: 'isApproval', expression: `variables.words[0] == 'promote' && variables.phase in ${literal(approvedPhases)}` },
      {
        name: 'rights',
        expression: `variables.isApproval ? ['promote', 'approve'] : [${literal(rightOf)}[variables.words[0]]]`,
      },
    ],
    validations: [
      { expression: 'variables.isReadable', message: `${requestAnnotation} cannot be read: ${FORM}`, reason: 'Invalid' },
      {
        expression: ifReadable('variables.words[3] == request.userInfo.username'),
        message: `${requestAnnotation} is in the name of another user than its writer`,
        messageExpression: [
          literal(`${requestAnnotation} is in the name of `),
          'variables.words[3]',
          literal(', but the API server knows you as '),
          'request.userInfo.username',
          literal(': request it in your own name (kubectl auth whoami shows it)'),
        ].join(' + '),
        reason: 'Forbidden',
      },
      {
        expression: ifReadable(
          `variables.rights.exists(right, authorizer.group(${literal(canaries.group)}).resource(${literal(canaries.resource)})` +
            '.namespace(object.metadata.namespace).name(object.metadata.name).check(right).allowed())',
        ),
        message: `the right to this request is missing: grant its verb on ${canaries.resource}.${canaries.group} by a Role`,
        messageExpression: [
          'request.userInfo.username',
          literal(' may not '),
          'variables.words[0]',
          literal(' canary '),
          'object.metadata.name',
          "(variables.phase == '' ? '' : ' in phase ' + variables.phase)",
          literal(': it takes the verb '),
          "variables.rights.join(' or ')",
          literal(` on ${canaries.resource}.${canaries.group} in namespace `),
          'object.metadata.namespace',
          literal(', which a user who has it can grant by a Role'),
        ].join(' + '),
        reason: 'Forbidden',
      },
    ],
  };
}

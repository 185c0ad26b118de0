import type { KubeObject } from '../../../src/api/kube-object.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { raw } from '../../fakes/raw.ts';

/** A MutatingAdmissionPolicy of ConfigMaps and what an API server answers: to itself, to a create and to an update. */
export interface PolicyCase {
  name: string;
  expression: string;
  more?: object;
  /** Status codes and reasons of refusals; data of the ConfigMap otherwise. */
  answers: { policy?: string; create?: string | object; update?: string | object };
}

const add = (key: string, value: string): string => `[JSONPatch{op: 'add', path: '/data/${key}', value: ${value}}]`;
const MISSING = "[JSONPatch{op: 'remove', path: '/data/nothing'}]";

export const policyCases: readonly PolicyCase[] = [
  { name: 'no-syntax', expression: '[JSONPatch{', answers: { policy: '422 Invalid' } },
  { name: 'undeclared', expression: add('b', 'nothing'), answers: { policy: '422 Invalid' } },
  { name: 'no-list', expression: "'text'", answers: { policy: '422 Invalid' } },
  {
    name: 'no-bool',
    expression: add('b', "'2'"),
    more: { matchConditions: [{ name: 'a', expression: "'text'" }] },
    answers: { policy: '422 Invalid' },
  },
  { name: 'fails', expression: MISSING, answers: { create: '403 Invalid' } },
  { name: 'ignored', expression: MISSING, more: { failurePolicy: 'Ignore' }, answers: { create: { a: '1' }, update: { a: '1', c: '3' } } },
  {
    name: 'fails-at-condition',
    expression: add('b', "'2'"),
    more: { matchConditions: [{ name: 'a', expression: "object.data['nothing'] == '1'" }] },
    answers: { create: '403 Invalid' },
  },
  {
    name: 'not-matched',
    expression: MISSING,
    more: { matchConditions: [{ name: 'a', expression: "object.data['a'] == '2'" }] },
    answers: { create: { a: '1' }, update: { a: '1', c: '3' } },
  },
  {
    name: 'variables',
    expression: add('b', 'variables.good + request.operation'),
    more: {
      variables: [
        { name: 'unused', expression: "object.data['nothing']" },
        { name: 'good', expression: "request.name + ' '" },
      ],
    },
    answers: { create: { a: '1', b: 'variables CREATE' }, update: { a: '1', b: 'variables UPDATE', c: '3' } },
  },
  {
    name: 'old',
    expression: add('b', 'string(oldObject == null)'),
    answers: { create: { a: '1', b: 'true' }, update: { a: '1', b: 'false', c: '3' } },
  },
  {
    name: 'several',
    expression: '',
    more: {
      mutations: [add('b', "'2'"), add('d', "object.data['b'] + '!'")].map((expression) => ({
        patchType: 'JSONPatch',
        jsonPatch: { expression },
      })),
    },
    answers: { create: { a: '1', b: '2', d: '2!' }, update: { a: '1', b: '2', c: '3', d: '2!' } },
  },
  { name: 'wrong-type', expression: "[JSONPatch{op: 'add', path: '/data', value: 'text'}]", answers: { create: '500 InternalError' } },
];

const apiVersion = 'admissionregistration.k8s.io/v1';

function policyOf({ name, expression, more }: PolicyCase): KubeObject {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }];
  return {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      ...{ failurePolicy: 'Fail', reinvocationPolicy: 'Never' },
      matchConstraints: { resourceRules, objectSelector: { matchLabels: { case: name } } },
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
      ...more,
    },
  };
}

const bindingOf = ({ name }: PolicyCase): KubeObject => ({
  apiVersion,
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName: name },
});

async function answered(doing: Promise<KubeObject>): Promise<string | object> {
  try {
    return raw(await doing).data ?? {};
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.reason}`;
    throw error;
  }
}

/** Creates the policies. Returns the refused policies, with the answer of the API server. */
export async function makePolicies(cluster: KubeCluster): Promise<Record<string, string>> {
  const refused: Record<string, string> = {};
  for (const one of policyCases) {
    const answer = await answered(cluster.create(policyOf(one)));
    if (typeof answer === 'string') refused[one.name] = answer;
    else await cluster.create(bindingOf(one));
  }
  return refused;
}

/** Answers to a create and an update under this policy. */
export async function answersOf(cluster: KubeCluster, { name }: PolicyCase): Promise<PolicyCase['answers']> {
  const metadata = { name, namespace: 'default', labels: { case: name } };
  const create = await answered(cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1' } }));
  if (typeof create === 'string') return { create };
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'default' };
  return { create, update: await answered(cluster.patch(ref, { data: { c: '3' } })) };
}

import { fieldManager, guardAnnotation } from '../../src/api/names.ts';

/** Entries of `managedFields` that are looked at; the API server keeps ten of updates, and tools that apply are few. */
const MOST_WRITERS = 30;
const literal = (text: string): string => `'${text}'`;

const markOf = (object: string): string => `${object}.metadata.?annotations[?${literal(guardAnnotation)}]`;
const isMarked = (object: string): string => `${markOf(object)}.orValue('') == oldObject.metadata.uid`;
const patch = (op: string, path: string, value?: string): string =>
  `JSONPatch{op: ${literal(op)}, path: ${path}${value === undefined ? '' : `, value: ${value}`}}`;
const pointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const SELECTED = "?fieldsV1[?'f:spec'][?'f:selector']";

/**
 * The spec of a MutatingAdmissionPolicy (`admissionregistration.k8s.io/v1`, Kubernetes 1.36): the selector of a Service that carries Serin's mark stays
 * unmodified when any client but Serin updates it. The mark is the uid of the Service, so that a mark copied with the manifest has no effect. A write that
 * leaves the rest of the object in place removes the mark. An object without a uid was not read from the API server: a tool puts its manifest in the place of
 * the whole object, and does not know the mark. No writer is recorded as owner of the selector, or one of them would get a conflict from the value that stays.
 */
export function apexGuard(): object {
  const isReplaced = `!${markOf('object')}.hasValue() && object.metadata.?uid.orValue('') == ''`;
  const indexes = `[${[...Array(MOST_WRITERS).keys()].join(',')}]`;
  return {
    // A Service that cannot be guarded is written as before.
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'IfNeeded',
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['services'] }],
    },
    matchConditions: [
      { name: 'is-marked', expression: `${isMarked('object')} || (${isMarked('oldObject')} && ${isReplaced})` },
      { name: 'has-a-selector', expression: 'has(oldObject.spec.selector)' },
    ],
    variables: [
      // Serin names itself as field manager in every write.
      {
        name: 'keeps',
        expression: `${isMarked('oldObject')} && request.?options.?fieldManager.orValue('') != ${literal(fieldManager)}`,
      },
      { name: 'writers', expression: 'object.metadata.?managedFields.orValue([])' },
    ],
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression: [
            `(variables.keeps ? [${patch('add', "'/spec/selector'", 'oldObject.spec.selector')}] : [])`,
            `(${markOf('object')}.hasValue() ? [] : has(object.metadata.annotations) ? [${patch('add', literal(`/metadata/annotations/${pointer(guardAnnotation)}`), 'oldObject.metadata.uid')}] : [${patch('add', "'/metadata/annotations'", `{${literal(guardAnnotation)}: oldObject.metadata.uid}`)}])`,
            `${indexes}.filter(i, i < size(variables.writers) && dyn(variables.writers[i]).${SELECTED}.hasValue()).map(i, ${patch('remove', "'/metadata/managedFields/' + string(i) + '/fieldsV1/f:spec/f:selector'")})`,
          ].join(' + '),
        },
      },
    ],
  };
}

import type { KubeObject } from '../../api/kube-object.ts';
import { type LabelTest, parseLabelSelector as parseText } from '../../kube/label-selector-text.ts';
import { type Json, valueAtPath } from './json.ts';
import { badRequest } from './status.ts';

type Predicate = (object: KubeObject) => boolean;

/** Reads a query parameter; an unreadable one is the caller's fault. */
export function parseSelectorQuery(text: string): LabelTest {
  const parsed = parseText(text);
  if ('unreadable' in parsed) throw badRequest(`unable to parse requirement: found '${parsed.unreadable}'`);
  return parsed.matches;
}

const podFields = [
  ...['nodeName', 'restartPolicy', 'schedulerName', 'serviceAccountName'].map((field) => `spec.${field}`),
  ...['phase', 'podIP', 'nominatedNodeName'].map((field) => `status.${field}`),
];
const eventFields = [
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => `involvedObject.${field}`),
  ...['kind', 'namespace', 'name', 'uid'].map((field) => `regarding.${field}`),
  ...['reason', 'reportingComponent', 'source', 'type'],
];
/** The fields that can be selected, beside metadata.name and metadata.namespace, by `group/plural`. */
const selectable: Record<string, readonly string[]> = {
  '/pods': podFields,
  '/events': eventFields,
  '/nodes': ['spec.unschedulable'],
  '/namespaces': ['status.phase'],
  '/secrets': ['type'],
  '/services': ['spec.clusterIP', 'spec.type'],
  'apps/replicasets': ['status.replicas'],
};

/** `resource`: `group/plural`; `extra`: fields that a CRD declares selectable. Throws StatusError 400 for any other field. */
export function parseFieldSelector(text: string, resource: string, extra: readonly string[] = []): Predicate {
  const terms = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part): Predicate => {
      const term = /^([^=!]+)(==|=|!=)(.*)$/.exec(part.trim());
      if (term === null) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
      const [, field = '', operator, value] = term;
      const known = ['metadata.name', 'metadata.namespace', ...(selectable[resource] ?? []), ...extra];
      if (!known.includes(field)) throw badRequest(`field label not supported: ${field}`);
      const path = field === 'source' ? 'source.component' : field.replace(/^regarding\./, 'involvedObject.');
      return (object) => (String(valueAtPath(object, path) ?? '') === value) === (operator !== '!=');
    });
  return (object) => terms.every((holds) => holds(object));
}

/** A LabelSelector in the words of `kubectl --selector`. */
export function kubectlSelectorText(selector: Json): string {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const sets = (selector.matchExpressions ?? []).map((term: Json) =>
    term.operator === 'Exists'
      ? term.key
      : term.operator === 'DoesNotExist'
        ? `!${term.key}`
        : `${term.key} ${term.operator.toLowerCase()} (${term.values.join(',')})`,
  );
  return [...equal, ...sets].join(',');
}

import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { type Json, valueAt } from './json.ts';
import { badRequest } from './status.ts';

type Predicate = (object: KubeObject) => boolean;
type Requirement = (labels: Labels) => boolean;

/** A label selector, equality and set based: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. */
export function parseLabelSelector(text: string): Requirement {
  const requirements = splitOutsideParentheses(text).map(parseRequirement);
  return (labels) => requirements.every((holds) => holds(labels));
}

function splitOutsideParentheses(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function parseRequirement(text: string): Requirement {
  const set = /^([^\s!=()]+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = '', verb, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return verb === 'in'
      ? (labels) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? '')
      : (labels) => !Object.hasOwn(labels, key) || !values.includes(labels[key] ?? '');
  }
  const compared = /^([^\s!=()<>]+)\s*(==|=|!=|>|<)\s*([^\s=!()<>]*)$/.exec(text);
  if (compared !== null) {
    const [, key = '', operator, value = ''] = compared;
    if (operator === '!=') return (labels) => labels[key] !== value;
    if (operator === '>') return (labels) => Number(labels[key]) > Number(value);
    if (operator === '<') return (labels) => Number(labels[key]) < Number(value);
    return (labels) => labels[key] === value;
  }
  const existence = /^(!?)\s*([^\s!=()<>]+)$/.exec(text);
  if (existence === null) throw badRequest(`unable to parse requirement: found '${text}'`);
  const [, not, key = ''] = existence;
  return (labels) => Object.hasOwn(labels, key) === (not === '');
}

const podFields = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
];
const eventFields = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'regarding.kind',
  'regarding.namespace',
  'regarding.name',
  'regarding.uid',
  'reason',
  'reportingComponent',
  'source',
  'type',
];
/** The fields that can be selected, beside metadata.name and metadata.namespace, by `group/plural`. */
const selectable: Record<string, readonly string[]> = {
  '/pods': podFields,
  '/events': eventFields,
  'events.k8s.io/events': eventFields,
  '/nodes': ['spec.unschedulable'],
  '/namespaces': ['status.phase'],
  '/secrets': ['type'],
  '/services': ['spec.clusterIP', 'spec.type'],
  'apps/replicasets': ['status.replicas'],
};

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
      return (object) => (String(valueAt(object, path) ?? '') === value) === (operator !== '!=');
    });
  return (object) => terms.every((holds) => holds(object));
}

/** A LabelSelector in the words of `kubectl --selector`. */
export function selectorText(selector: Json): string {
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

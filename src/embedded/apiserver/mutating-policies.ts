import { Environment } from '@marcbachmann/cel-js';
import type { KubeObject } from '../../api/kube-object.ts';
import { celValue } from './cel.ts';
import { clone, isEqual, isRecord, type Json, type JsonObject } from './json.ts';
import { jsonPatch } from './patch.ts';
import type { Resource } from './resources.ts';
import { kubectlSelectorText, parseSelectorQuery } from './selectors.ts';
import { invalid, invalidValue, type StatusCause, StatusError } from './status.ts';
import { objectKey, type Store } from './store.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = `${GROUP}/mutatingadmissionpolicies`;

/** One create or update, before it is stored. */
export interface AdmittedWrite {
  operation: 'CREATE' | 'UPDATE';
  /** The object that the client sent or patched, with `managedFields` of after the write. */
  object: KubeObject;
  old: KubeObject | undefined;
  subresource: string;
  fieldManager: string;
  dryRun: boolean;
}

type Program = (context: Record<string, unknown>) => unknown;

/**
 * Evaluates MutatingAdmissionPolicies with patches of type JSONPatch, once each. Of the request they see operation, name, namespace, dryRun and options.
 * A policy with parameters, ApplyConfiguration or an expression that cannot be parsed is not stored.
 */
export class MutatingPolicies {
  readonly #store: Store;
  readonly #programs = new Map<string, Program>();
  readonly #environment = ['object', 'oldObject', 'request', 'variables'].reduce(
    (environment, name) => environment.registerVariable(name, 'dyn'),
    new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true }),
  );

  constructor(store: Store) {
    this.#store = store;
  }

  /** The object as the policies leave it; the same one where they change nothing. */
  admit(resource: Resource, write: AdmittedWrite): KubeObject {
    let { object } = write;
    for (const [, binding] of this.#store.list(`${GROUP}/mutatingadmissionpolicybindings`)) {
      const { policyName, matchResources } = binding.spec as Json;
      const policy = this.#store.get(POLICIES, `/${policyName}`);
      if (policy === undefined) continue;
      const { matchConstraints } = policy.spec as Json;
      if (![matchConstraints, matchResources ?? {}].every((part) => this.#isMatched(part, resource, write))) continue;
      object = this.#mutated({ policy, binding: binding.metadata.name }, { ...write, object });
    }
    return object;
  }

  /** Refuses with 422 what this server cannot evaluate. */
  check(resource: Resource, policy: KubeObject): void {
    if (resource.storeKey !== POLICIES) return;
    const { matchConditions = [], variables = [], mutations = [], paramKind } = policy.spec as Json;
    const refuse = (field: string, value: unknown, why: string): StatusCause => invalidValue(`spec.${field}`, value, why);
    const expressions = [
      ...matchConditions.map(({ expression }: Json, index: number) => [`matchConditions[${index}].expression`, expression, 'bool']),
      ...variables.map(({ expression }: Json, index: number) => [`variables[${index}].expression`, expression, '']),
      ...mutations.flatMap(({ jsonPatch: one }: Json, index: number) =>
        one === undefined ? [] : [[`mutations[${index}].jsonPatch.expression`, one.expression, 'list']],
      ),
    ];
    const causes = expressions.flatMap(([field, expression, type]) => {
      const problem = this.#problemOf(expression, type);
      return problem === undefined ? [] : refuse(field, expression, problem);
    });
    if (paramKind !== undefined) causes.push(refuse('paramKind', 'object', 'parameters are not evaluated'));
    for (const [index, { patchType }] of mutations.entries())
      if (patchType !== 'JSONPatch') causes.push(refuse(`mutations[${index}].patchType`, patchType, 'only JSONPatch is evaluated'));
    if (causes.length > 0) throw invalid(resource, policy.metadata.name, causes);
  }

  #isMatched({ resourceRules, namespaceSelector, objectSelector }: Json, resource: Resource, write: AdmittedWrite): boolean {
    const { object, old, operation, subresource } = write;
    const plural = subresource === '' ? resource.plural : `${resource.plural}/${subresource}`;
    const has = (list: Json, value: string): boolean => list?.includes('*') || list?.includes(value);
    const isRuled = (rule: Json): boolean =>
      has(rule.apiGroups, resource.group) &&
      has(rule.apiVersions, resource.version) &&
      has(rule.operations, operation) &&
      has(rule.resources, plural);
    if (resourceRules !== undefined && !resourceRules.some(isRuled)) return false;
    const selects = (selector: Json, labels: Json): boolean => parseSelectorQuery(kubectlSelectorText(selector ?? {}))(labels ?? {});
    const home = resource.namespaced ? this.#store.get('/namespaces', `/${object.metadata.namespace}`) : undefined;
    if (resource.namespaced && !selects(namespaceSelector, home?.metadata.labels)) return false;
    return [object, ...(old ? [old] : [])].some(({ metadata }) => selects(objectSelector, metadata.labels));
  }

  /** Problem of an expression that does not compile, or gives something else than this type; an empty type is any. */
  #problemOf(expression: string, type: string): string | undefined {
    try {
      const { valid, type: found = 'dyn', error } = this.#environment.check(withoutTypes(expression));
      if (!valid) return `compilation failed: ${error?.message}`;
      return found === 'dyn' || found.startsWith(type) ? undefined : `must evaluate to ${type} but got ${found}`;
    } catch (error) {
      return `compilation failed: ${String(error)}`;
    }
  }

  #mutated({ policy, binding }: { policy: KubeObject; binding: string }, write: AdmittedWrite): KubeObject {
    const { matchConditions = [], variables = [], mutations, failurePolicy } = policy.spec as Json;
    try {
      const before = this.#contextOf(write, variables);
      if (!matchConditions.every(({ expression }: Json) => this.#programOf(expression)(before) === true)) return write.object;
      return mutations.reduce((object: KubeObject, { jsonPatch: { expression } }: Json) => {
        const operations = jsonValue(this.#programOf(expression)(this.#contextOf({ ...write, object }, variables)));
        return jsonPatch(object, operations) as KubeObject;
      }, write.object);
    } catch (error) {
      if (failurePolicy === 'Ignore') return write.object;
      const why = error instanceof Error ? error.message : String(error);
      throw new StatusError(403, 'Invalid', `policy '${policy.metadata.name}' with binding '${binding}' denied request: ${why}`);
    }
  }

  #contextOf({ object, old, operation, fieldManager, dryRun }: AdmittedWrite, variables: readonly Json[]): Record<string, unknown> {
    const { name, namespace = '' } = object.metadata;
    const options = fieldManager === '' ? {} : { fieldManager };
    const context: Record<string, unknown> = {
      object: celValue(object),
      oldObject: celValue(old ?? null),
      request: { operation, name, namespace, dryRun, options },
    };
    const known = {};
    // An error in a variable that no condition reaches says nothing.
    for (const variable of variables)
      Object.defineProperty(known, variable.name, { enumerable: true, get: () => this.#programOf(variable.expression)(context) });
    return { ...context, variables: known };
  }

  #programOf(text: string): Program {
    const known = this.#programs.get(text);
    if (known) return known;
    const program = this.#environment.parse(withoutTypes(text));
    this.#programs.set(text, program);
    return program;
  }
}

/** Where the write leaves what clients cannot change. */
export function mutated(next: KubeObject, sent: KubeObject, admit: (object: KubeObject) => KubeObject): KubeObject {
  const { uid, creationTimestamp } = sent.metadata;
  const seen = { ...next, metadata: { ...next.metadata } };
  for (const [field, value] of Object.entries({ uid, creationTimestamp })) {
    if (value === undefined) delete seen.metadata[field];
    else seen.metadata[field] = value;
  }
  const left = admit(seen);
  if (isEqual(left, seen)) return next;
  const result = clone(left);
  for (const field of ['uid', 'creationTimestamp', 'resourceVersion']) result.metadata[field] = next.metadata[field];
  if (objectKey(result) !== objectKey(next)) throw new Error('a policy has changed the name of an object');
  return result;
}

/** The package knows no types of objects: a literal of one becomes a map. */
function withoutTypes(text: string): string {
  const parts = text.split(/('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/);
  let depth = 0;
  const patches: number[] = [];
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return part;
      return part.replaceAll(/JSONPatch\{|[{}]|\b(op|path|from|value):/g, (found, field?: string) => {
        if (found === '}') {
          if (patches.at(-1) === depth) patches.pop();
          depth -= 1;
          return found;
        }
        if (field !== undefined) return patches.at(-1) === depth ? `'${field}':` : found;
        depth += 1;
        if (found !== '{') patches.push(depth);
        return '{';
      });
    })
    .join('');
}

/** Integers of CEL are bigints. */
function jsonValue(value: unknown): Json {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(jsonValue);
  if (value instanceof Map) return jsonValue(Object.fromEntries(value));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, child]) => [key, jsonValue(child)]));
}

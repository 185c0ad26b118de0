import { keptIn } from '../../base/once.ts';
import { isEqual, isRecord } from './json.ts';
import { deref, isIntOrString, itemKey, type Schema } from './schema.ts';
import { duplicateValue, invalidValue, required, type StatusCause, tooMany, unsupportedValue } from './status.ts';

/** Errors of a value by its structural schema, as the causes of a 422. */
export function validate(value: unknown, schema: Schema, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  check(value, schema, path, causes);
  return causes;
}

/** Each adds to the causes: a list of its own for each of hundreds of fields would cost more than all looking. */
function check(value: unknown, schema: Schema, path: string, causes: StatusCause[]): void {
  if (value === null && schema.nullable === true) return;
  const wrongType = typeCause(value, schema, path);
  if (wrongType !== undefined) {
    causes.push(wrongType);
    return;
  }
  checkValue(value, schema, path, causes);
  checkComposition(value, schema, path, causes);
  if (Array.isArray(value)) checkList(value, schema, path, causes);
  else if (isRecord(value)) checkRecord(value, schema, path, causes);
}

const jsonType = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

function typeCause(value: unknown, schema: Schema, path: string): StatusCause | undefined {
  const found = jsonType(value);
  if (isIntOrString(schema)) {
    if (found === 'integer' || found === 'string') return undefined;
    return typeInvalid(path, value, 'integer,string', found);
  }
  if (schema.type === undefined || schema.type === '' || schema.type === found) return undefined;
  if (schema.type === 'number' && found === 'integer') return undefined;
  if (schema.format === 'quantity' && (found === 'integer' || found === 'number')) return undefined;
  return typeInvalid(path, value, schema.type, found);
}

const typeInvalid = (path: string, value: unknown, wanted: string, found: string): StatusCause => ({
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: ${JSON.stringify(isRecord(value) || Array.isArray(value) ? found : value)}: ${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`,
  field: path,
});

function checkValue(value: unknown, schema: Schema, path: string, causes: StatusCause[]): void {
  if (schema.enum === undefined && typeof value !== 'string' && typeof value !== 'number') return;
  const wrong = (why: string): void => void causes.push(invalidValue(path, value, `${path} in body ${why}`));
  if (schema.enum !== undefined && !schema.enum.some((allowed) => isEqual(allowed, value)))
    causes.push(unsupportedValue(path, value, schema.enum));
  if (typeof value === 'string') {
    const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : [...value].length;
    if (schema.pattern !== undefined && !matches(schema.pattern, value)) wrong(`should match '${schema.pattern}'`);
    if (schema.minLength !== undefined && length < schema.minLength) wrong(`should be at least ${schema.minLength} chars long`);
    if (schema.maxLength !== undefined && length > schema.maxLength) wrong(`should be at most ${schema.maxLength} chars long`);
    if (schema.format === 'date-time' && Number.isNaN(Date.parse(value))) wrong('must be of type date-time');
  }
  if (typeof value === 'number') {
    const { minimum, maximum } = schema;
    if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum))
      wrong(`should be greater than${schema.exclusiveMinimum === true ? '' : ' or equal to'} ${minimum}`);
    if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum))
      wrong(`should be less than${schema.exclusiveMaximum === true ? '' : ' or equal to'} ${maximum}`);
    if (schema.multipleOf !== undefined && value % schema.multipleOf !== 0) wrong(`should be a multiple of ${schema.multipleOf}`);
  }
}

/** RE2 patterns that JavaScript cannot read (inline flags) are translated if their meaning is plain. */
function matches(pattern: string, value: string): boolean {
  return keptIn(patterns, pattern, () => compiled(pattern)).test(value);
}

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  const flags = /^\(\?([is]+)\)/.exec(pattern);
  return new RegExp(flags === null ? pattern : pattern.slice(flags[0].length), `u${flags?.[1] ?? ''}`);
}

function checkComposition(value: unknown, schema: Schema, path: string, causes: StatusCause[]): void {
  const { allOf, anyOf, oneOf, not } = schema;
  if (allOf === undefined && anyOf === undefined && oneOf === undefined && not === undefined) return;
  // The real server names the field only in the message.
  const wrong = (why: string): void => void causes.push(invalidValue('<nil>', '', `${JSON.stringify(path)} ${why}`));
  const holds = (branch: Schema): boolean => validate(value, deref(branch), path).length === 0;
  if (allOf !== undefined && allOf[0]?.$ref === undefined) for (const branch of allOf) check(value, branch, path, causes);
  if (anyOf !== undefined && !isIntOrString(schema) && !anyOf.some(holds)) wrong('must validate at least one schema (anyOf)');
  if (oneOf !== undefined) {
    const count = oneOf.filter(holds).length;
    if (count !== 1) {
      const found = count === 0 ? 'Found none valid' : `Found ${count} valid alternatives`;
      wrong(`must validate one and only one schema (oneOf). ${found}`);
    }
  }
  if (not !== undefined && holds(not)) wrong('must not validate the schema (not)');
}

function checkList(value: readonly unknown[], schema: Schema, path: string, causes: StatusCause[]): void {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    causes.push(invalidValue(path, value.length, `${path} in body should have at least ${schema.minItems} items`));
  if (schema.maxItems !== undefined && value.length > schema.maxItems) causes.push(tooMany(path, value.length, schema.maxItems));
  const items = deref(schema.items);
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    check(item, items, `${path}[${index}]`, causes);
    const kind = schema['x-kubernetes-list-type'];
    if (kind !== 'set' && kind !== 'map') continue;
    const key = kind === 'map' && isRecord(item) ? itemKey(schema, item) : item;
    if (seen.has(JSON.stringify(key))) causes.push(duplicateValue(`${path}[${index}]`, key));
    seen.add(JSON.stringify(key));
  }
}

function checkRecord(value: Record<string, unknown>, schema: Schema, path: string, causes: StatusCause[]): void {
  const join = (key: string): string => (path === '' ? key : `${path}.${key}`);
  for (const key of schema.required ?? []) if (value[key] === undefined) causes.push(required(join(key)));
  const keys = Object.keys(value);
  const size = keys.length;
  if (schema.minProperties !== undefined && size < schema.minProperties)
    causes.push(invalidValue(path, size, `${path} in body should have at least ${schema.minProperties} properties`));
  if (schema.maxProperties !== undefined && size > schema.maxProperties) causes.push(tooMany(path, size, schema.maxProperties));
  for (const key of keys) {
    const own = schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    const field = own ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
    if (field !== undefined) check(value[key], deref(field), own === undefined ? `${path}[${key}]` : join(key), causes);
  }
}

import { Environment } from '@marcbachmann/cel-js';
import { isRecord, type Json } from './json.ts';
import { deref, type Schema, type ValidationRule } from './schema.ts';
import { invalidValue, type StatusCause } from './status.ts';

type CelProgram = (context: Record<string, unknown>) => unknown;

/** Evaluates `x-kubernetes-validations`. A rule that the package cannot evaluate passes. */
export class CelRules {
  readonly #programs = new Map<string, CelProgram | undefined>();
  readonly #environment = new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
  });

  check(value: Json, old: Json, schema: Schema, path = ''): StatusCause[] {
    if (value === null || value === undefined) return [];
    const causes = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => this.#checkRule(rule, value, old, path));
    if (Array.isArray(value)) {
      const items = deref(schema.items);
      return [...causes, ...value.flatMap((item, index) => this.check(item, undefined, items, `${path}[${index}]`))];
    }
    if (!isRecord(value)) return causes;
    for (const [key, child] of Object.entries(value)) {
      const own = schema.properties?.[key];
      const field = own ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
      if (field !== undefined && key !== 'metadata')
        causes.push(...this.check(child, isRecord(old) ? old[key] : undefined, deref(field), path === '' ? key : `${path}.${key}`));
    }
    return causes;
  }

  #checkRule(rule: ValidationRule, value: Json, old: Json, path: string): StatusCause[] {
    // A transition rule runs on updates only.
    if (/\boldSelf\b/.test(rule.rule) && old === undefined) return [];
    if (this.#evaluate(rule.rule, value, old) !== false) return [];
    const why = rule.message ?? `failed rule: ${rule.rule}`;
    return [invalidValue(path === '' ? '<nil>' : path, isRecord(value) || Array.isArray(value) ? 'object' : value, why)];
  }

  #evaluate(text: string, self: Json, oldSelf: Json): unknown {
    if (!this.#programs.has(text)) this.#programs.set(text, this.#compile(text));
    const program = this.#programs.get(text);
    if (program === undefined) return undefined;
    try {
      return program({ self: celValue(self), oldSelf: celValue(oldSelf) });
    } catch {
      return undefined;
    }
  }

  #compile(text: string): CelProgram | undefined {
    try {
      return this.#environment.parse(text);
    } catch {
      return undefined;
    }
  }
}

/** CEL integers are 64 bit: whole numbers become bigint. */
export function celValue(value: Json): Json {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(celValue);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, celValue(child)]));
  return value;
}

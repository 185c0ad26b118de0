import { LONGEST_QUERY } from '../api/limits.ts';
import { type QueryVariables, queryTexts } from './query-variables.ts';
import { leastArguments, showValue, templateFunctions, truthOf } from './template-functions.ts';
import type { Operand, Pipeline } from './template-pipeline.ts';
import type { Branch, TemplateNode, TemplateValue } from './template-syntax.ts';
import { TemplateError } from './template-tokens.ts';

const templateNames = [...queryTexts, 'variables'] as const;

/** Maximum length of a rendered query and of each intermediate value: a value can be put into the next, and so grow without end. */
const LONGEST = LONGEST_QUERY;
/**
 * Maximum number of steps of one rendering: one for an operation, and one for each 16 characters that a function gets. Nested blocks would multiply without
 * end.
 */
const MOST_STEPS = 20_000;
const CHARACTERS_A_STEP = 16;

/** The likely meaning of a field without an object: a function in any letter case, or else a variable. */
function remedyFor(name: string): string {
  return queryTexts.find((known) => known === name.toLowerCase()) ?? `variables.${name}`;
}

/** Reach of a block: a `break` or `continue` in it ends it. */
type Course = 'on' | 'break' | 'continue';
type TemplateScope = Map<string, TemplateValue>;

/**
 * One rendering. `isTrial`: the variables are unknown, so that every branch runs once, and errors that depend on their values do not count.
 */
export class TemplateRun {
  readonly #given: QueryVariables;
  readonly #isTrial: boolean;
  #text = '';
  #steps = 0;
  /** Offset of the running action. */
  #at = 0;
  #scopes: TemplateScope[] = [new Map()];
  /** The values of `.`, innermost last: empty outside of `with` and `range`. */
  #dots: TemplateValue[] = [];

  constructor(given: QueryVariables, isTrial: boolean) {
    this.#given = given;
    this.#isTrial = isTrial;
  }

  text(nodes: readonly TemplateNode[]): string {
    this.#block(nodes);
    return this.#text;
  }

  #block(nodes: readonly TemplateNode[]): Course {
    for (const node of nodes) {
      this.#spend(1);
      const course = this.#node(node);
      if (course !== 'on') return course;
    }
    return 'on';
  }

  #node(node: TemplateNode): Course {
    switch (node.kind) {
      case 'text':
        this.#write(node.text, 0);
        return 'on';
      case 'output':
        this.#output(node.pipeline);
        return 'on';
      case 'assign':
        this.#assign(node);
        return 'on';
      case 'leave':
        return this.#isTrial ? 'on' : node.how;
      default:
        return this.#branch(node);
    }
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MOST_STEPS)
      throw new TemplateError(
        this.#at,
        `it takes more than ${MOST_STEPS} steps: use fewer loops and shorter values in spec.query of the MetricTemplate, or in query of the metric`,
      );
  }

  /** Adds the cost of iterating over a value. */
  #spendOn(value: TemplateValue | undefined): void {
    if (typeof value === 'object')
      for (const [key, one] of Object.entries(value)) this.#spend(1 + (key.length + one.length) / CHARACTERS_A_STEP);
    else if (typeof value === 'string') this.#spend(value.length / CHARACTERS_A_STEP);
  }

  #write(text: string, at: number): void {
    this.#text += text;
    if (this.#text.length > LONGEST) throw new TemplateError(at, `the query is longer than ${LONGEST} characters`);
  }

  #output(pipeline: Pipeline): void {
    const value = this.#pipe(pipeline);
    this.#spendOn(value);
    this.#write(showValue(value), pipeline.at);
  }

  #assign({ variable, declares, pipeline, at }: Extract<TemplateNode, { kind: 'assign' }>): void {
    const value = this.#pipe(pipeline);
    const scope = declares ? this.#scopes.at(-1) : this.#scopes.findLast((one) => one.has(variable));
    if (!scope) throw new TemplateError(at, `undefined variable ${variable}`);
    scope.set(variable, value);
  }

  #branch(branch: Branch): Course {
    const value = this.#pipe(branch.pipeline);
    if (typeof value === 'object') this.#spendOn(value);
    if (branch.kind === 'range') return this.#range(branch, value);
    const inner = (nodes: readonly TemplateNode[]) => {
      const declared = branch.variables.map((name): [string, TemplateValue] => [name, value]);
      return this.#within(declared, branch.kind === 'with' && nodes === branch.body ? value : undefined, nodes);
    };
    if (this.#isTrial) {
      inner(branch.body);
      return inner(branch.otherwise);
    }
    return inner(truthOf(value) ? branch.body : branch.otherwise);
  }

  /** The only list are the variables, in the order of their names. */
  #range({ variables, body, otherwise, at }: Branch, value: TemplateValue): Course {
    if (typeof value !== 'object') throw new TemplateError(at, 'range works only on variables');
    const entries: [string, string][] = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    if (this.#isTrial) {
      entries.push(['', '']);
      this.#within([], undefined, otherwise);
    }
    if (entries.length === 0) return this.#within([], undefined, otherwise);
    for (const [key, one] of entries) {
      this.#spend(1);
      const values = variables.length === 2 ? [key, one] : [one];
      const declared = variables.map((name, index): [string, TemplateValue] => [name, values[index] ?? '']);
      if (this.#within(declared, one, body) === 'break') break;
    }
    return 'on';
  }

  #within(declared: readonly [string, TemplateValue][], dot: TemplateValue | undefined, nodes: readonly TemplateNode[]): Course {
    this.#scopes.push(new Map(declared));
    if (dot !== undefined) this.#dots.push(dot);
    const course = this.#block(nodes);
    if (dot !== undefined) this.#dots.pop();
    this.#scopes.pop();
    return course;
  }

  #pipe({ commands, at }: Pipeline): TemplateValue {
    this.#at = at;
    let value: TemplateValue | undefined;
    for (const command of commands) value = this.#command(command, value);
    return value ?? '';
  }

  #command([head, ...rest]: readonly Operand[], piped: TemplateValue | undefined): TemplateValue {
    if (!head) return '';
    this.#spend(1);
    const args = rest.map((operand) => this.#evaluate(operand));
    if (piped !== undefined) args.push(piped);
    if (head.kind === 'call') return this.#call(head.name, args, head.at);
    if (args.length > 0) throw new TemplateError(head.at, 'cannot give arguments to a value that is not a function');
    return this.#evaluate(head);
  }

  #call(name: string, args: readonly TemplateValue[], at: number): TemplateValue {
    const known = templateNames.find((one) => one === name);
    if (known) {
      if (args.length > 0) throw new TemplateError(at, `${name} takes no arguments`);
      return this.#given[known];
    }
    const fn = Object.hasOwn(templateFunctions, name) ? templateFunctions[name] : undefined;
    if (!fn) {
      const all = [...templateNames, ...Object.keys(templateFunctions)].join(', ');
      throw new TemplateError(at, `function "${name}" not defined; known are ${all}`);
    }
    if (args.length < leastArguments(name)) throw new TemplateError(at, `${name} needs arguments`);
    for (const arg of args) this.#spendOn(arg);
    let value: TemplateValue;
    try {
      value = fn(args);
    } catch (error) {
      // Without the variables' values only the template's own text can be wrong: the verbs of printf.
      if (this.#isTrial && name !== 'printf') return '';
      throw new TemplateError(at, error instanceof Error ? error.message : String(error));
    }
    if (typeof value === 'string' && value.length > LONGEST) throw new TemplateError(at, `it gives more than ${LONGEST} characters`);
    return value;
  }

  #evaluate(operand: Operand): TemplateValue {
    this.#spend(1);
    switch (operand.kind) {
      case 'literal':
        return operand.value;
      case 'call':
        return this.#call(operand.name, [], operand.at);
      case 'group':
        return this.#pipe(operand.pipeline);
      case 'variable': {
        const value = this.#scopes.findLast((scope) => scope.has(operand.name))?.get(operand.name);
        if (value === undefined) throw new TemplateError(operand.at, `undefined variable ${operand.name}`);
        return value;
      }
      case 'dot': {
        const dot = this.#dots.at(-1);
        if (dot === undefined) throw new TemplateError(operand.at, '. has no value outside of with and range');
        return dot;
      }
      case 'field':
        return this.#field(operand);
      default:
        return operand satisfies never;
    }
  }

  #field({ of, name, at }: Extract<Operand, { kind: 'field' }>): TemplateValue {
    if (of.kind === 'dot' && this.#dots.length === 0) throw new TemplateError(at, `.${name} has no value: write {{ ${remedyFor(name)} }}`);
    const map = this.#evaluate(of);
    if (typeof map !== 'object') throw new TemplateError(at, `.${name}: a text has no fields; only variables has`);
    if (Object.hasOwn(map, name)) return map[name] ?? '';
    if (this.#isTrial) return '';
    throw new TemplateError(at, `variables.${name} is not set: add it to templateVariables of the metric`);
  }
}

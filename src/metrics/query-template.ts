import type { QueryVariables } from './query-variables.ts';
import { showValue, templateFunctions } from './template-functions.ts';
import { type Operand, type Pipeline, parseTemplate, TemplateError, type TemplateValue } from './template-syntax.ts';

export type { QueryVariables } from './query-variables.ts';

const names = ['name', 'namespace', 'target', 'service', 'ingress', 'route', 'interval', 'variables'] as const;
const sample: QueryVariables = { name: '', namespace: '', target: '', service: '', ingress: '', route: '', interval: '', variables: {} };

/**
 * A query with its placeholders filled in. The language is Go's text/template, as far as queries use it: calls, fields of
 * `variables`, literals, pipes, parentheses, `$v :=`, comments, trim markers. A variable that is missing is an error (05 T8, T11).
 */
export function renderQuery(template: string, variables: QueryVariables): { query: string } | { error: string } {
  try {
    return { query: render(template, variables, false) };
  } catch (error) {
    return { error: located(template, error) };
  }
}

/** The mistake in a template that shows without knowing the variables' values; undefined when there is none. */
export function checkTemplate(text: string): string | undefined {
  try {
    render(text, sample, true);
    return undefined;
  } catch (error) {
    return located(text, error);
  }
}

function located(template: string, error: unknown): string {
  if (!(error instanceof TemplateError)) throw error;
  const lines = template.slice(0, error.at).split('\n');
  return `query template ${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}: ${error.message}`;
}

function render(template: string, given: QueryVariables, anyVariable: boolean): string {
  const scope = new Map<string, TemplateValue>();
  let text = '';
  for (const node of parseTemplate(template)) {
    if (node.kind === 'text') text += node.text;
    else if (node.kind === 'output') text += showValue(pipe(node.pipeline));
    else {
      if (!node.declares && !scope.has(node.variable)) throw new TemplateError(node.at, `undefined variable ${node.variable}`);
      scope.set(node.variable, pipe(node.pipeline));
    }
  }
  return text;

  function pipe({ commands }: Pipeline): TemplateValue {
    let value: TemplateValue | undefined;
    for (const command of commands) value = run(command, value);
    return value ?? '';
  }

  function run([head, ...rest]: readonly Operand[], piped: TemplateValue | undefined): TemplateValue {
    if (!head) return '';
    const args = rest.map((operand) => evaluate(operand));
    if (piped !== undefined) args.push(piped);
    if (head.kind === 'call') return call(head.name, args, head.at);
    if (args.length > 0) throw new TemplateError(head.at, 'cannot give arguments to a value that is no function');
    return evaluate(head);
  }

  function call(name: string, args: readonly TemplateValue[], at: number): TemplateValue {
    const known = names.find((one) => one === name);
    if (known) {
      if (args.length > 0) throw new TemplateError(at, `${name} takes no arguments`);
      return given[known];
    }
    const fn = Object.hasOwn(templateFunctions, name) ? templateFunctions[name] : undefined;
    if (!fn)
      throw new TemplateError(at, `function "${name}" not defined; known are ${[...names, ...Object.keys(templateFunctions)].join(', ')}`);
    if (args.length === 0 && !name.startsWith('print')) throw new TemplateError(at, `${name} needs arguments`);
    return fn(args);
  }

  function evaluate(operand: Operand): TemplateValue {
    switch (operand.kind) {
      case 'literal':
        return operand.value;
      case 'call':
        return call(operand.name, [], operand.at);
      case 'group':
        return pipe(operand.pipeline);
      case 'variable': {
        const value = scope.get(operand.name);
        if (value === undefined) throw new TemplateError(operand.at, `undefined variable ${operand.name}`);
        return value;
      }
      case 'field': {
        const map = evaluate(operand.of);
        if (typeof map !== 'object') throw new TemplateError(operand.at, `.${operand.name}: a text has no fields; only variables has`);
        if (Object.hasOwn(map, operand.name)) return map[operand.name] ?? '';
        if (anyVariable) return '';
        throw new TemplateError(operand.at, `variables.${operand.name} is not set: add it to templateVariables of the metric`);
      }
      default:
        return operand satisfies never;
    }
  }
}

import { isNode, type Node, nodeAt, nodesAt, textAt } from './syntax-tree.ts';

/** Another text in the place of a node, or of a part of it. */
export interface Change {
  kind: string;
  start: number;
  end: number;
  text: string;
}

type Mutator = (node: Node, source: string, around: readonly Node[]) => Change[];

const BOUNDARIES: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITES: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};
const ARITHMETIC: Record<string, string> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
};
const METHODS: Record<string, string> = {
  min: 'max',
  max: 'min',
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
};
/** Calls that can be left out: what they are called on is of the same type. */
const LEFT_OUT = new Set(['filter', 'slice', 'toSorted', 'sort', 'toReversed', 'trim', 'toLowerCase', 'toUpperCase']);

const textOf = (node: Node, source: string): string => source.slice(node.start, node.end);
const replaced = (kind: string, { start, end }: { start: number; end: number }, text: string): Change => ({ kind, start, end, text });

/** The operator of a binary expression, between its two sides. */
function operatorOf(node: Node, source: string): { start: number; end: number } | undefined {
  const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')];
  const operator = textAt(node, 'operator');
  if (!left || !right) return undefined;
  const start = source.indexOf(operator, left.end);
  return start === -1 || start >= right.start ? undefined : { start, end: start + operator.length };
}

const holdsText = (node: Node | undefined): boolean =>
  node !== undefined && ((node.type === 'Literal' && typeof node.value === 'string') || node.type === 'TemplateLiteral');

function operators(node: Node, source: string): Change[] {
  const operator = textAt(node, 'operator');
  if (node.type === 'UpdateExpression') {
    const start = node.prefix === true ? node.start : node.end - 2;
    return [replaced('arithmetic', { start, end: start + 2 }, ARITHMETIC[operator] ?? operator)];
  }
  if (node.type === 'UnaryExpression' && operator === '!')
    return [replaced('negation', node, textOf(nodeAt(node, 'argument') ?? node, source))];
  const at = operatorOf(node, source);
  if (!at) return [];
  const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')];
  if (node.type === 'LogicalExpression' && operator === '??') return [replaced('default', { start: left?.end ?? 0, end: node.end }, '')];
  if (node.type === 'LogicalExpression') return [replaced('logical', at, operator === '&&' ? '||' : '&&')];
  if (node.type !== 'BinaryExpression' && node.type !== 'AssignmentExpression') return [];
  const calculated = holdsText(left) || holdsText(right) ? undefined : ARITHMETIC[operator];
  return [
    ...(BOUNDARIES[operator] ? [replaced('boundary', at, BOUNDARIES[operator])] : []),
    ...(OPPOSITES[operator] ? [replaced('negation', at, OPPOSITES[operator])] : []),
    ...(calculated ? [replaced('arithmetic', at, calculated)] : []),
  ];
}

function literals(node: Node, _source: string, around: readonly Node[]): Change[] {
  if (node.type === 'ArrayExpression' && nodesAt(node, 'elements').length > 0) return [replaced('array', node, '[]')];
  if (node.type !== 'Literal') return [];
  const [parent] = around;
  if (parent && 'key' in parent && parent.key === node) return [];
  if (typeof node.value === 'boolean') return [replaced('boolean', node, String(!node.value))];
  if (typeof node.value === 'number') {
    const more = replaced('number', node, String(node.value + 1));
    return [more, replaced('number', node, node.value === 0 ? '(-1)' : String(node.value - 1))];
  }
  // A text of several words is a message.
  if (typeof node.value === 'string' && !/\s/.test(node.value.trim()))
    return [replaced('string', node, node.value === '' ? "'mutant'" : "''")];
  const regex = isRegex(node.regex) ? node.regex : undefined;
  return [
    ...(regex?.pattern.startsWith('^') ? [replaced('regex', node, `/${regex.pattern.slice(1)}/${regex.flags}`)] : []),
    ...(regex && /[^\\]\$$/.test(regex.pattern) ? [replaced('regex', node, `/${regex.pattern.slice(0, -1)}/${regex.flags}`)] : []),
  ].filter(({ text }) => !text.startsWith('//'));
}

const isRegex = (value: unknown): value is { pattern: string; flags: string } =>
  typeof value === 'object' && value !== null && 'pattern' in value && typeof value.pattern === 'string';

function conditions(node: Node): Change[] {
  const test = nodeAt(node, 'test');
  if (!test || !/^(?:If|While|DoWhile|For)Statement$|^ConditionalExpression$/.test(node.type)) return [];
  const isLoop = !/^(?:IfStatement|ConditionalExpression)$/.test(node.type);
  return [replaced('never', test, 'false'), ...(isLoop ? [] : [replaced('always', test, 'true')])];
}

function statements(node: Node, source: string, [parent]: readonly Node[]): Change[] {
  if (node.type === 'ExpressionStatement' && textOf(node, source) !== "'use strict';" && !/^super\(/.test(textOf(node, source)))
    return [replaced('statement', node, ';')];
  const argument = nodeAt(node, 'argument');
  if (node.type === 'ReturnStatement' && argument && textOf(argument, source) !== 'undefined')
    return [replaced('return', argument, 'undefined')];
  const isBody = parent !== undefined && nodeAt(parent, 'body') === node && /Function/.test(parent.type);
  if (node.type === 'BlockStatement' && isBody && nodesAt(node, 'body').length > 1) return [replaced('block', node, '{}')];
  if (node.type !== 'ContinueStatement' && node.type !== 'BreakStatement') return [];
  return parent?.type === 'SwitchCase' ? [] : [replaced('statement', node, ';')];
}

function calls(node: Node, source: string): Change[] {
  const callee = nodeAt(node, 'callee');
  const property = nodeAt(callee, 'property');
  const object = nodeAt(callee, 'object');
  if (node.type === 'MemberExpression' && node.optional === true) {
    const start = source.indexOf('?.', nodeAt(node, 'object')?.end ?? node.start);
    return [replaced('optional', { start, end: start + 2 }, node.computed === true ? '' : '.')];
  }
  if (node.type !== 'CallExpression' || !callee || !property || !object || callee.computed === true || callee.optional === true) return [];
  const method = textAt(property, 'name');
  if (METHODS[method]) return [replaced('method', property, METHODS[method])];
  return LEFT_OUT.has(method) ? [replaced('method', { start: object.end, end: node.end }, '')] : [];
}

const mutators: readonly Mutator[] = [operators, literals, conditions, statements, calls];

/** Ways to break this node. */
export const mutationsOf: Mutator = (node, source, around) => mutators.flatMap((mutate) => mutate(node, source, around));

/** Texts for people that decide nothing: log lines, and messages of errors. */
export function isForPeople(node: Node): boolean {
  if (node.type === 'TemplateLiteral' || node.type === 'TaggedTemplateExpression') return true;
  if (node.type === 'ThrowStatement') return true;
  const callee = nodeAt(node, 'callee');
  if (!callee) return false;
  if (node.type === 'NewExpression') return /Error$/.test(textAt(callee, 'name'));
  const object = nodeAt(callee, 'object');
  const named = [object, nodeAt(object, 'property')].map((one) => textAt(one, 'name'));
  return named.some((name) => name === 'log' || name.endsWith('Error'));
}

/** A statement that only logs or throws: left out, it would be a message less. */
export const isLogStatement = (node: Node): boolean => {
  const expression = nodeAt(node, 'expression');
  return node.type === 'ExpressionStatement' && isNode(expression) && expression.type === 'CallExpression' && isForPeople(expression);
};

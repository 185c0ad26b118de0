import type { SyntaxNode } from '@lezer/common';
import { badData, type QueryError } from '../query-error.ts';
import type { MatchOp, SeriesMatcher } from '../series.ts';
import {
  type ArithmeticOp,
  type ComparisonOp,
  comparisons,
  type EvaluatedAt,
  type Expr,
  type Matching,
  type SetOp,
  setOps,
} from './ast.ts';
import { checkTypes } from './check-types.ts';
import { matcher } from './matcher.ts';
import { syntaxTree } from './syntax-tree.ts';
import { promDuration } from './value.ts';

/** The expression of a PromQL text. Throws QueryError naming line and column, or the construct that is not supported. */
export function parsePromql(text: string): Expr {
  if (text.trim() === '') throw badData('unknown position: parse error: no expression found in input');
  const reader = new Reader(text);
  const tree = syntaxTree(text);
  if ('mistakeAt' in tree) throw reader.syntaxError(tree.mistakeAt);
  const top = reader.children(tree.topNode)[0];
  if (!top) throw badData('unknown position: parse error: no expression found in input');
  const expr = reader.expr(top);
  checkTypes(expr);
  return expr;
}

const parsed = new Map<string, Expr>();
/** Queries of checks come again at each interval. */
const MOST_PARSED = 500;

/** The same, for a text that comes again. */
export function parsePromqlOnce(text: string): Expr {
  const expr = parsed.get(text) ?? parsePromql(text);
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(text, expr);
  return expr;
}

const keyOf = ({ name, from, to }: SyntaxNode): string => `${name} ${from} ${to}`;

class Reader {
  readonly #text: string;
  /** By selector or subquery. */
  readonly #modifiers = new Map<string, Partial<EvaluatedAt>>();

  constructor(text: string) {
    this.#text = text;
  }

  children(node: SyntaxNode): SyntaxNode[] {
    const found: SyntaxNode[] = [];
    for (let child = node.firstChild; child; child = child.nextSibling) if (child.name !== 'LineComment') found.push(child);
    return found;
  }

  expr(node: SyntaxNode): Expr {
    switch (node.name) {
      case 'NumberDurationLiteral':
        return { kind: 'number', value: this.#number(node) };
      case 'StringLiteral':
        return { kind: 'string', value: unquote(this.#slice(node)) };
      case 'ParenExpr':
        return this.expr(this.#only(node));
      case 'VectorSelector':
        return this.#selector(node);
      case 'MatrixSelector':
        return this.#range(node);
      case 'OffsetExpr':
        return this.#offset(node);
      case 'UnaryExpr':
        return this.#unary(node);
      case 'BinaryExpr':
        return this.#binary(node);
      case 'AggregateExpr':
        return this.#aggregate(node);
      case 'FunctionCall':
        return this.#call(node);
      case 'SubqueryExpr':
        return this.#subquery(node);
      case 'StepInvariantExpr':
        return this.#at(node);
      default:
        throw this.#unsupported(node, node.name);
    }
  }

  syntaxError(at: number): QueryError {
    const called = /([a-zA-Z_]\w*)\s*\(?$/.exec(this.#text.slice(0, at + 1));
    if (this.#text[at] === '(' && called) return this.#errorAt(at, `unknown function with name "${called[1]}"`);
    const rest = this.#text.slice(at).trim();
    return this.#errorAt(at, rest === '' ? 'unexpected end of input' : `unexpected ${JSON.stringify(rest.slice(0, 20))}`);
  }

  #errorAt(at: number, message: string): QueryError {
    const before = this.#text.slice(0, at).split('\n');
    return badData(`${before.length}:${(before.at(-1)?.length ?? 0) + 1}: parse error: ${message}`);
  }

  #unsupported(node: SyntaxNode, construct: string): QueryError {
    return this.#errorAt(node.from, `${construct} is not supported by the embedded Prometheus: ${this.#slice(node).slice(0, 60)}`);
  }

  #slice(node: SyntaxNode): string {
    return this.#text.slice(node.from, node.to);
  }

  #only(node: SyntaxNode): SyntaxNode {
    const [child] = this.children(node);
    if (!child) throw this.#errorAt(node.from, 'no expression found');
    return child;
  }

  #number(node: SyntaxNode): number {
    const signed = this.#slice(node).replaceAll('_', '');
    const text = signed.replace(/^[+-]/, '');
    return signed.startsWith('-') ? -this.#positive(text, node) : this.#positive(text, node);
  }

  #positive(text: string, node: SyntaxNode): number {
    if (/^nan$/i.test(text)) return Number.NaN;
    if (/^inf$/i.test(text)) return Infinity;
    if (/[smhdwy]$/.test(text) && !/^0x/i.test(text)) return this.#positiveMs(text, node) / 1000;
    return Number(text);
  }

  #durationMs(node: SyntaxNode): number {
    const text = this.#slice(node);
    if (text.startsWith('-')) return -this.#positiveMs(text.slice(1), node);
    return this.#positiveMs(text, node);
  }

  #positiveMs(text: string, node: SyntaxNode): number {
    const ms = promDuration(text.trim());
    if (ms === undefined) throw this.#errorAt(node.from, `not a valid duration string: ${JSON.stringify(text)}`);
    return ms;
  }

  #selector(node: SyntaxNode): Extract<Expr, { kind: 'selector' }> {
    const matchers: SeriesMatcher[] = [];
    for (const child of this.children(node)) {
      if (child.name === 'Identifier') matchers.push(matcher('__name__', '=', this.#slice(child)));
      else if (child.name === 'LabelMatchers') for (const one of this.children(child)) matchers.push(this.#matcher(one));
      else throw this.#unsupported(child, child.name);
    }
    if (!matchers.some((one) => !one.matches(''))) {
      throw this.#errorAt(node.from, 'vector selector must contain at least one non-empty matcher');
    }
    return { kind: 'selector', matchers, ...this.#evaluatedAt(node) };
  }

  #matcher(node: SyntaxNode): SeriesMatcher {
    const [label, op, value] = this.children(node);
    if (label && !op) return matcher('__name__', '=', unquote(this.#slice(label)));
    if (!label || !op || !value) throw this.#errorAt(node.from, 'incomplete label matcher');
    const name = this.#slice(label);
    return matcher(label.name === 'LabelName' ? name : unquote(name), this.#slice(op) as MatchOp, unquote(this.#slice(value)));
  }

  #range(node: SyntaxNode): Expr {
    const [inner, range] = this.children(node);
    if (!inner || !range) throw this.#errorAt(node.from, 'incomplete range selector');
    if (inner.name !== 'VectorSelector') throw this.#errorAt(node.from, 'ranges only allowed for vector selectors');
    const rangeMs = this.#durationMs(range);
    if (rangeMs <= 0) throw this.#errorAt(range.from, 'duration must be greater than 0');
    return { kind: 'range', selector: this.#selector(inner), rangeMs };
  }

  /** Without a step it is the interval of rules, of which the default is a minute. */
  #subquery(node: SyntaxNode): Expr {
    const [inner, range, step] = this.children(node);
    if (!inner || !range) throw this.#errorAt(node.from, 'incomplete subquery');
    const [rangeMs, stepMs] = [this.#durationMs(range), step ? this.#durationMs(step) : 60_000];
    if (rangeMs <= 0 || stepMs <= 0) throw this.#errorAt(range.from, 'duration must be greater than 0');
    return { kind: 'subquery', operand: this.expr(inner), rangeMs, stepMs, ...this.#evaluatedAt(node) };
  }

  #offset(node: SyntaxNode): Expr {
    const [inner, , amount] = this.children(node);
    if (!inner || !amount) throw this.#errorAt(node.from, 'incomplete offset');
    return this.#modified(inner, 'offset', { offsetMs: this.#durationMs(amount) });
  }

  #at(node: SyntaxNode): Expr {
    const [inner, , moment] = this.children(node);
    if (!inner || !moment) throw this.#errorAt(node.from, 'incomplete @ modifier');
    if (moment.name !== 'NumberDurationLiteral') throw this.#unsupported(moment, `@ ${this.#slice(moment)}`);
    return this.#modified(inner, '@', { atMs: Math.round(this.#number(moment) * 1000) });
  }

  /** The grammar gives `a / b offset 1m` as the offset of the quotient; in Prometheus it is that of the last selector, `b`. */
  #modified(inner: SyntaxNode, modifier: string, given: Partial<EvaluatedAt>): Expr {
    let selected: SyntaxNode | undefined = inner;
    while (selected && ['BinaryExpr', 'UnaryExpr', 'OffsetExpr', 'StepInvariantExpr'].includes(selected.name)) {
      const children: SyntaxNode[] = this.children(selected);
      selected = selected.name.endsWith('aryExpr') ? children.at(-1) : children[0];
    }
    if (selected?.name === 'MatrixSelector') selected = this.children(selected)[0];
    const isSelection = selected?.name === 'VectorSelector' || selected?.name === 'SubqueryExpr';
    const known = selected && this.#modifiers.get(keyOf(selected));
    if (!selected || !isSelection || Object.keys(given).some((name) => known && name in known)) {
      throw this.#errorAt(inner.from, `${modifier} modifier must be preceded by an instant or range vector selector or a subquery`);
    }
    this.#modifiers.set(keyOf(selected), { ...known, ...given });
    return this.expr(inner);
  }

  #evaluatedAt(node: SyntaxNode): EvaluatedAt {
    return { offsetMs: 0, ...this.#modifiers.get(keyOf(node)) };
  }

  #unary(node: SyntaxNode): Expr {
    const [sign, inner] = this.children(node);
    if (!sign || !inner) throw this.#errorAt(node.from, 'incomplete unary expression');
    const operand = this.expr(inner);
    return this.#slice(sign) === '-' ? { kind: 'negate', operand } : operand;
  }

  #binary(node: SyntaxNode): Expr {
    const parts = this.children(node);
    const [leftNode, opNode] = parts;
    const rightNode = parts.at(-1);
    if (!leftNode || !opNode || !rightNode) throw this.#errorAt(node.from, 'incomplete binary expression');
    const op = this.#slice(opNode);
    if (!['+', '-', '*', '/', '%', '^', ...comparisons, ...setOps].includes(op.toLowerCase()))
      throw this.#unsupported(opNode, `operator ${op}`);
    let bool = false;
    let matching: Matching = { on: false, labels: [] };
    for (const part of parts.slice(2, -1)) {
      if (part.name === 'BoolModifier') bool = true;
      else if (part.name === 'MatchingModifierClause') matching = this.#matching(part);
      else throw this.#unsupported(part, part.name);
    }
    const left = this.expr(leftNode);
    const right = this.expr(rightNode);
    // The grammar takes the sign into the number; in Prometheus `^` binds tighter: -1 ^ 2 is -1.
    if (op === '^' && left.kind === 'number' && this.#slice(leftNode).startsWith('-')) {
      return { kind: 'negate', operand: { kind: 'binary', op, bool, matching, left: { kind: 'number', value: -left.value }, right } };
    }
    return { kind: 'binary', op: op.toLowerCase() as ArithmeticOp | ComparisonOp | SetOp, bool, matching, left, right };
  }

  #matching(node: SyntaxNode): Matching {
    const parts = this.children(node);
    const on = parts[0]?.name === 'On';
    const labels = this.#labels(parts[1]);
    const group = parts.findIndex((part) => part.name === 'GroupLeft' || part.name === 'GroupRight');
    if (group === -1) return { on, labels };
    return { on, labels, group: { side: parts[group]?.name === 'GroupLeft' ? 'left' : 'right', include: this.#labels(parts[group + 1]) } };
  }

  #labels(node: SyntaxNode | undefined): string[] {
    if (node?.name !== 'GroupingLabels') return [];
    return this.children(node).map((label) => (label.name === 'LabelName' ? this.#slice(label) : unquote(this.#slice(label))));
  }

  #aggregate(node: SyntaxNode): Expr {
    const parts = this.children(node);
    const op = parts.find((part) => part.name === 'AggregateOp');
    const body = parts.find((part) => part.name === 'FunctionCallBody');
    const modifier = parts.find((part) => part.name === 'AggregateModifier');
    if (!op || !body) throw this.#errorAt(node.from, 'incomplete aggregation');
    const [keyword, labels] = modifier ? this.children(modifier) : [];
    const args = this.children(body).map((arg) => this.expr(arg));
    const operand = args.at(-1);
    if (!operand || args.length > 2) throw this.#errorAt(body.from, 'wrong number of arguments for aggregate expression');
    const param = args.length === 2 ? args[0] : undefined;
    return {
      kind: 'aggregate',
      op: this.#slice(op).toLowerCase(),
      without: keyword?.name === 'Without',
      grouping: this.#labels(labels),
      ...(param ? { param } : {}),
      operand,
    };
  }

  #call(node: SyntaxNode): Expr {
    const [name, body] = this.children(node);
    if (!name || !body) throw this.#errorAt(node.from, 'incomplete function call');
    return { kind: 'call', name: this.#slice(name), args: this.children(body).map((arg) => this.expr(arg)) };
  }
}

const SIMPLE: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The text of a Go string literal: back-quoted ones are raw, the others know Go's escapes. */
function unquote(literal: string): string {
  const body = literal.slice(1, -1);
  if (literal.startsWith('`')) return body;
  return body.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|.)/gs, (_, escaped: string) => {
    if (/^[xuU]./.test(escaped)) return String.fromCodePoint(Number.parseInt(escaped.slice(1), 16));
    if (/^[0-7]{3}$/.test(escaped)) return String.fromCodePoint(Number.parseInt(escaped, 8));
    return SIMPLE[escaped] ?? escaped;
  });
}

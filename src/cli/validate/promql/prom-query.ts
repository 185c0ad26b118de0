import type { SyntaxNode, Tree } from '@lezer/common';
import { syntaxTree } from '../../../embedded/prometheus/promql/syntax-tree.ts';
import { isPodLabel, type LabelMatcher, matchedSides, type WorkloadMatcher } from './workload-matcher.ts';

/** Where a text stops being PromQL. */
export interface SyntaxMistake {
  line: number;
  column: number;
  /** The text at this place, cut; empty at its end. */
  near: string;
  /** Words that only the dialect of VictoriaMetrics has. */
  isMetricsQl: boolean;
}

const MATRIX = ['MatrixSelector', 'SubqueryExpr'];
const OF_RANGES = /^(rate|irate|increase|delta|idelta|deriv|changes|resets|predict_linear|\w+_over_time)$/;
const SHOWN = 60;

/** One query in PromQL, as Prometheus' own grammar reads it. */
export class PromQuery {
  readonly #text: string;
  readonly #tree: Tree;

  private constructor(text: string, tree: Tree) {
    this.#text = text;
    this.#tree = tree;
  }

  static parse(text: string): PromQuery | SyntaxMistake {
    if (text.trim() === '') return mistakeAt(text, 0);
    const tree = syntaxTree(text);
    return 'mistakeAt' in tree ? mistakeAt(text, tree.mistakeAt) : new PromQuery(text, tree);
  }

  /** Without any the value is a constant. */
  hasSeries(): boolean {
    return this.#all((node) => node.name === 'VectorSelector').length > 0;
  }

  /** Functions of ranges that are given a plain selector. */
  withoutRange(): string[] {
    const calls = this.#all(({ name }) => name === 'FunctionCall').map((node) => ({
      name: this.#of(node.firstChild),
      args: argumentsOf(node),
    }));
    const wrong = calls.filter(
      ({ name, args }) => OF_RANGES.test(name) && args.length > 0 && !args.some((arg) => isRange(arg)) && args.some(isVector),
    );
    return [...new Set(wrong.map(({ name }) => name))];
  }

  /** Ranges in places where only values are allowed. */
  withRange(): string[] {
    const ranges = this.#all((node) => node.name === 'MatrixSelector').filter((node) => {
      const user = userOf(node);
      if (user === null) return true;
      return user.name !== 'FunctionCall' || !OF_RANGES.test(this.#of(user.firstChild));
    });
    return ranges.map((node) => cut(this.#of(node)));
  }

  /** A quotient that is 1 for each of its series, `undefined` if the query has none. */
  ratioOfItself(): string | undefined {
    const found = this.#all((node) => node.name === 'BinaryExpr' && node.getChild('Div') !== null).find((node) => {
      const [left, right] = [unscaled(node.firstChild), unscaled(node.lastChild)];
      if (!left || !right) return false;
      if (this.#normal(left) === this.#normal(right) && within(left, 'VectorSelector').length > 0) return true;
      if (node.getChild('MatchingModifierClause')) return false;
      return this.#isPerSeries(left) && this.#isPerSeries(right) && this.#shape(left) === this.#shape(right);
    });
    return found && cut(this.#of(found).replace(/\s+/g, ' '));
  }

  /** Matchers on labels that name pods and workloads, by the sides of a release that they select. */
  workloadMatchers(word: string): WorkloadMatcher[] {
    return this.#all((node) => node.name === 'UnquotedLabelMatcher').flatMap((node) => {
      const value = node.getChild('StringLiteral');
      const matcher: LabelMatcher = {
        label: this.#of(node.getChild('LabelName')),
        op: this.#of(node.getChild('MatchOp')),
        value: this.#of(value).slice(1, -1).replaceAll('\\\\', '\\'),
      };
      const matches = matchedSides(matcher, word);
      return matches
        ? [{ label: matcher.label, isPod: isPodLabel(matcher.label), matches, text: cut(this.#of(node).replaceAll(word, '{{ target }}')) }]
        : [];
    });
  }

  #all(isWanted: (node: SyntaxNode) => boolean): SyntaxNode[] {
    const found: SyntaxNode[] = [];
    this.#tree.iterate({
      enter({ node }) {
        if (isWanted(node)) found.push(node);
      },
    });
    return found;
  }

  /** Neither summed up nor joined: the series go in and out with their labels. */
  #isPerSeries(node: SyntaxNode): boolean {
    const selectors = within(node, 'VectorSelector');
    return (
      selectors.length === 1 &&
      within(node, 'AggregateExpr').length === 0 &&
      within(node, 'BinaryExpr').length === 0 &&
      !/\blabel_(replace|join)\b/.test(this.#of(node))
    );
  }

  /** An expression without its label matchers. */
  #shape(node: SyntaxNode): string {
    const matchers = within(node, 'LabelMatchers');
    const parts = matchers.reduceRight(
      (text, { from, to }) => text.slice(0, from - node.from) + text.slice(to - node.from),
      this.#of(node),
    );
    return parts.replace(/\s+/g, '');
  }

  #normal(node: SyntaxNode): string {
    return this.#of(node).replace(/\s+/g, '');
  }

  #of(node: SyntaxNode | null): string {
    return node === null ? '' : this.#text.slice(node.from, node.to);
  }
}

const cut = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/** Without the parentheses around it, and the numbers that it is multiplied or divided by. */
function unscaled(node: SyntaxNode | null): SyntaxNode | null {
  if (node?.name === 'ParenExpr') return unscaled(node.firstChild);
  if (node?.name !== 'BinaryExpr' || !(node.getChild('Mul') ?? node.getChild('Div'))) return node;
  const [first, last] = [node.firstChild, node.lastChild];
  if (first?.name === 'NumberDurationLiteral') return unscaled(last);
  return last?.name === 'NumberDurationLiteral' ? unscaled(first) : node;
}

function argumentsOf(call: SyntaxNode): SyntaxNode[] {
  const body = call.getChild('FunctionCallBody');
  const found: SyntaxNode[] = [];
  for (let child = body?.firstChild ?? null; child; child = child.nextSibling) found.push(child);
  return found;
}

/** A range, also if it is moved or fixed in time. */
const isRange = (node: SyntaxNode): boolean =>
  MATRIX.includes(node.name) ||
  (['OffsetExpr', 'StepInvariantExpr', 'ParenExpr'].includes(node.name) && node.firstChild !== null && isRange(node.firstChild));

const isVector = (node: SyntaxNode): boolean =>
  node.name === 'VectorSelector' || node.name === 'AggregateExpr' || node.name === 'FunctionCall';

/** The expression that a range is an operand of. */
function userOf(node: SyntaxNode): SyntaxNode | null {
  const { parent } = node;
  if (parent === null || parent.name === 'PromQL') return null;
  const isWrapper = ['OffsetExpr', 'StepInvariantExpr', 'ParenExpr', 'FunctionCallBody'].includes(parent.name);
  return isWrapper ? userOf(parent) : parent;
}

function within(node: SyntaxNode, name: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const cursor = node.cursor();
  do {
    if (cursor.name === name) found.push(cursor.node);
  } while (cursor.next() && cursor.from < node.to);
  return found;
}

function mistakeAt(text: string, at: number): SyntaxMistake {
  const lines = text.slice(0, at).split('\n');
  const near = text.slice(at).trimStart().split('\n')[0] ?? '';
  const isMetricsQl = /\b(default|ifnot|if|keep_metric_names|limit)\b|\bWITH\s*\(|\b(median|mode|rollup|quantiles)\w*\(/.test(text);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, near: near.slice(0, 20), isMetricsQl };
}

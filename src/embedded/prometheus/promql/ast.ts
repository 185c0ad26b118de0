import type { SeriesMatcher } from '../series.ts';

export type ArithmeticOp = '+' | '-' | '*' | '/' | '%' | '^';
export type ComparisonOp = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type SetOp = 'and' | 'or' | 'unless';

/** Labels by which two vectors are matched: these, or all but these. */
export interface Matching {
  on: boolean;
  labels: readonly string[];
  /** The side that can have several series a group, and the labels that it takes from the other side. */
  group?: { side: 'left' | 'right'; include: readonly string[] };
}

/** The moment of a selection, where it is not that of the query: so much earlier, or than a moment of its own. */
export interface EvaluatedAt {
  offsetMs: number;
  atMs?: number;
}

export type Expr =
  | { kind: 'number'; value: number }
  | { kind: 'string'; value: string }
  | ({ kind: 'selector'; matchers: readonly SeriesMatcher[] } & EvaluatedAt)
  | { kind: 'range'; selector: Extract<Expr, { kind: 'selector' }>; rangeMs: number }
  | ({ kind: 'subquery'; operand: Expr; rangeMs: number; stepMs: number } & EvaluatedAt)
  | { kind: 'negate'; operand: Expr }
  | { kind: 'call'; name: string; args: readonly Expr[] }
  | { kind: 'aggregate'; op: string; without: boolean; grouping: readonly string[]; param?: Expr; operand: Expr }
  | { kind: 'binary'; op: ArithmeticOp | ComparisonOp | SetOp; bool: boolean; matching: Matching; left: Expr; right: Expr };

export type ValueType = 'scalar' | 'string' | 'vector' | 'matrix';

export const comparisons: readonly string[] = ['==', '!=', '<', '<=', '>', '>='];
export const setOps: readonly string[] = ['and', 'or', 'unless'];

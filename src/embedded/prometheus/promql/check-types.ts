import { badData } from '../query-error.ts';
import { comparisons, type Expr, setOps, type ValueType } from './ast.ts';
import { functions } from './functions.ts';

const aggregations = ['sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar', 'topk', 'bottomk', 'quantile'];
const withParam = ['topk', 'bottomk', 'quantile'];

/** The type of an expression; throws where Prometheus' parser refuses the types. */
export function checkTypes(expr: Expr): ValueType {
  switch (expr.kind) {
    case 'number':
      return 'scalar';
    case 'string':
      return 'string';
    case 'selector':
      return 'vector';
    case 'range':
      return 'matrix';
    case 'subquery':
      return checkSubquery(expr);
    case 'negate':
      return oneOf(checkTypes(expr.operand), 'unary expression');
    case 'call':
      return checkCall(expr);
    case 'aggregate':
      return checkAggregate(expr);
    case 'binary':
      return checkBinary(expr);
    default:
      return expr satisfies never;
  }
}

function oneOf(type: ValueType, where: string): ValueType {
  if (type === 'scalar' || type === 'vector') return type;
  throw badData(`parse error: ${where} must contain only scalar and instant vector types`);
}

function expectType(expected: ValueType, expr: Expr, where: string): void {
  const got = checkTypes(expr);
  const text = { vector: 'instant vector', matrix: 'range vector', scalar: 'scalar', string: 'string' };
  if (got !== expected) throw badData(`parse error: expected type ${text[expected]} in ${where}, got ${text[got]}`);
}

function checkSubquery({ operand }: Extract<Expr, { kind: 'subquery' }>): ValueType {
  const got = checkTypes(operand);
  if (got !== 'vector') throw badData(`parse error: subquery is only allowed on instant vector, got ${got} instead`);
  return 'matrix';
}

function checkCall({ name, args }: Extract<Expr, { kind: 'call' }>): ValueType {
  const fn = functions[name];
  if (!fn) throw badData(`parse error: function ${name}() is not supported by the embedded Prometheus`);
  const least = fn.params.length - (fn.optional ?? 0);
  if (args.length < least || args.length > fn.params.length) {
    throw badData(`parse error: expected ${least} argument(s) in call to "${name}", got ${args.length}`);
  }
  for (const [index, arg] of args.entries()) expectType(fn.params[index] as ValueType, arg, `call to function "${name}"`);
  return fn.returns;
}

function checkAggregate({ op, param, operand }: Extract<Expr, { kind: 'aggregate' }>): ValueType {
  if (!aggregations.includes(op)) throw badData(`parse error: aggregation ${op}() is not supported by the embedded Prometheus`);
  if ((param !== undefined) !== withParam.includes(op))
    throw badData(`parse error: wrong number of arguments for aggregate expression ${op}`);
  if (param) expectType('scalar', param, `aggregation parameter of "${op}"`);
  expectType('vector', operand, `aggregation expression "${op}"`);
  return 'vector';
}

function checkBinary({ op, bool, matching, left, right }: Extract<Expr, { kind: 'binary' }>): ValueType {
  const types = [checkTypes(left), checkTypes(right)] as const;
  const bothScalar = types.every((type) => type === 'scalar');
  for (const type of types) oneOf(type, 'binary expression');
  if (bool && !comparisons.includes(op)) throw badData('parse error: bool modifier can only be used on comparison operators');
  if (bothScalar && comparisons.includes(op) && !bool) throw badData('parse error: comparisons between scalars must use BOOL modifier');
  if (setOps.includes(op)) {
    if (types.includes('scalar')) throw badData(`parse error: set operator "${op}" not allowed in binary scalar expression`);
    if (matching.group) throw badData(`parse error: no grouping allowed for "${op}" operation`);
  }
  if (types.includes('scalar') && (matching.on || matching.labels.length > 0)) {
    throw badData('parse error: vector matching only allowed between instant vectors');
  }
  return bothScalar ? 'scalar' : 'vector';
}

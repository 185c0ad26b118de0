import type { ObjectRef } from '../api/kube-object.ts';
import type { HttpMatch } from '../api/routes.ts';

/** A route that the provider cannot express as required. Writing something near it could put the wrong users on the canary. */
export class RoutingError extends Error {
  override readonly name = 'RoutingError';
  readonly code = 'ROUTE_NOT_EXPRESSIBLE';
  /** The field of the Canary to correct; absent if the strategy as a whole requires another provider. */
  readonly field?: string;
  /** The user's object that is not found. */
  readonly object?: ObjectRef;
  /** The message is about the strategy as a whole, or begins with this field. */
  readonly placed: { field: string; message: string };
  /** The message in two clauses: the problem, and the remedy; without a remedy, the problem itself names what is missing. */
  readonly clauses: { problem: string; remedy?: string };

  /** `remedy`: the field below `spec` to correct, where the problem is one of the whole strategy. */
  constructor(problem: string, remedy?: string) {
    super(problem);
    this.clauses = { problem };
    this.placed = { field: 'spec.provider', message: problem };
    if (remedy !== undefined) this.field = `spec.${remedy}`;
  }

  /** A problem of one field below `spec`; the problem is the rest of the sentence. */
  static at(field: string, problem: string, remedy?: string): RoutingError {
    // Not by its name: the bundle would call a class that names itself `_RoutingError`, in logs too.
    const error = new this(sentenceOf(`${field} ${problem}`, remedy), field);
    Object.assign(error.placed, { field: `spec.${field}`, message: sentenceOf(problem, remedy) });
    Object.assign(error.clauses, { problem: `${field} ${problem}`, ...(remedy !== undefined && { remedy }) });
    return error;
  }

  /** A problem of an object of the user's, and the change to make in it. */
  static of(problem: string, remedy: string): RoutingError {
    return Object.assign(new this(sentenceOf(problem, remedy)), { clauses: { problem, remedy } });
  }
}

const sentenceOf = (problem: string, remedy: string | undefined): string => (remedy === undefined ? problem : `${problem}: ${remedy}`);

/** An object that one field below `spec` names is not found. */
export function objectMissing(field: string, object: ObjectRef): RoutingError {
  return Object.assign(RoutingError.at(field, `names ${object.kind} ${object.name}, which is not found`), { object });
}

/** Result of `attempt`, `undefined` if it throws a `RoutingError`. Other errors pass through. */
export function ifExpressible<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof RoutingError) return undefined;
    throw error;
  }
}

/** The `RoutingError` that `attempt` throws; undefined when it throws none. Other errors pass through. */
export function rejectionOf(attempt: () => unknown): RoutingError | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof RoutingError) return error;
    throw error;
  }
}

/** Refuses an entry of `analysis.match` with conditions that the provider cannot express; `field` is the path of the entry. */
export function refuseConditions(
  entry: HttpMatch,
  kinds: readonly ('queryParams' | 'sourceLabels')[],
  field: string,
  problem: string,
): void {
  for (const kind of kinds) if (Object.keys(entry[kind] ?? {}).length > 0) throw RoutingError.at(`${field}.${kind}`, problem);
}

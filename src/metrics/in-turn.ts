import { NoTurnError } from '../api/turns.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';
import type { Measurement } from './providers/metric-provider.ts';

type TurnDependencies = Pick<MeasureDependencies, 'turns' | 'signal'>;
type NotSent = Extract<Measurement, { kind: 'error' }>;

/** Runs one query to a backend of this type in the turn of the namespace. Its duration is recorded, unless it was cancelled: then it has no response. */
export function inTurn<Answer>(
  type: string,
  run: () => Promise<Answer>,
  resultOf: (answer: Answer) => Measurement['kind'],
  deps: TurnDependencies & Pick<MeasureDependencies, 'timeQuery'>,
): Promise<Answer | NotSent> {
  const timed = async (): Promise<Answer | NotSent> => {
    const ended = deps.timeQuery?.(type);
    const result = await run();
    if (!deps.signal.aborted) ended?.(resultOf(result));
    return result;
  };
  return atTurn(timed, deps, (reason) => ({ kind: 'error', reason }));
}

/** Runs a query in the turn of the namespace, or gives the reason for which it was not sent. */
export function atTurn<Answer>(
  ask: () => Promise<Answer>,
  { turns, signal }: TurnDependencies,
  notSent: (reason: string) => Answer,
): Promise<Answer> {
  return turns ? turns.run(ask, signal).catch((error: unknown) => notSent(reasonOf(error, signal))) : ask();
}

/** Reason for which a query had no turn; any other error is thrown on. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof NoTurnError) return `the query was not sent: ${error.message}`;
  if (signal.aborted) return 'the query was cancelled';
  throw error;
}

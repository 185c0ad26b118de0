import type { Canary } from '../api/canary.ts';
import type { Compared, ToCompare } from '../judge/compared.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';

/** Replaced by the branch that reads the counts. */
export async function compare(_canary: Canary, asked: readonly ToCompare[], _deps: MeasureDependencies): Promise<Compared[]> {
  return asked.map(({ metric }) => ({ metric, kind: 'unknown', reason: 'not read yet' }));
}

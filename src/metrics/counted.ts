import type { Compared } from '../judge/compared.ts';

type WithoutMetric<Each> = Each extends unknown ? Omit<Each, 'metric'> : never;

/** The answer to one question, but for the metric that it is of. */
export type Counted = WithoutMetric<Compared>;

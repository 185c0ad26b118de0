import * as z from 'zod';

/**
 * Comparison of a canary with the primary by one metric. A canary is bad when its rate is above `tolerate` times the primary's and above `atLeast`. Rates are
 * fractions of requests, 0–1.
 */
export const Comparison = z.strictObject({
  /** Factor by which a canary's rate can exceed the primary's and still be tolerated. */
  tolerate: z
    .number('tolerate: must be a number such as 1.5')
    .min(1, 'tolerate: must be 1 or more')
    .max(100, 'tolerate: must be 100 or less'),
  /** A canary below this rate is never bad. 0 switches this off. */
  atLeast: z.number('atLeast: must be a share such as 0.001').min(0, 'atLeast: must be 0 or more').max(1, 'atLeast: must be 1 or less'),
  /** Chance that a canary that is not bad is called bad at some time, over the whole release and all metrics. */
  falseAlarm: z
    .number('falseAlarm: must be a chance such as 0.01')
    .min(1e-6, 'falseAlarm: must be 0.000001 or more')
    .max(0.2, 'falseAlarm: must be 0.2 or less'),
  /** Number of metrics that share `falseAlarm`. */
  metrics: z.int('metrics: must be a whole number').min(1, 'metrics: must be 1 or more').max(100, 'metrics: must be 100 or less'),
  /** Windows are left out until the first pod of the canary has been ready for this long. */
  warmUpMs: z.number('warmUpMs: must be a number of milliseconds').min(0, 'warmUpMs: must be 0 or more'),
  /** A primary that is surely above this rate is reported as failing. */
  primaryFailing: z
    .number('primaryFailing: must be a share such as 0.05')
    .min(0, 'primaryFailing: must be 0 or more')
    .max(1, 'primaryFailing: must be 1 or less'),
  /** A decision that would take longer than this is called out of reach at the current traffic. */
  patienceMs: z.number('patienceMs: must be a number of milliseconds').min(1, 'patienceMs: must be 1 or more'),
});
export type Comparison = z.infer<typeof Comparison>;

/** Errors: 1.5 times the primary's rate and at least 0.1%, with one false alarm in 100 releases. */
export const defaultComparison: Comparison = {
  tolerate: 1.5,
  atLeast: 0.001,
  falseAlarm: 0.01,
  metrics: 1,
  warmUpMs: 30_000,
  primaryFailing: 0.05,
  patienceMs: 3_600_000,
};

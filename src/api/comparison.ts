import * as z from 'zod';
import { shortTextOf, strictMark, WindowText } from './limits.ts';

/** Also the message for a number without its unit: the form that the text must have. */
const Times = shortTextOf(/^([1-9]\d?(\.\d{1,4})?|100)x$/, 'must be a factor from 1x to 100x, such as 1.5x');
const Percent = shortTextOf(/^(\d{1,2}(\.\d{1,6})?|100)%$/, 'must be a percentage, such as 0.1%');

/** Limits of the failures of one metric; the texts are read by `factorOf` and `shareOf`. */
export const ToleratedErrors = z.object({
  tolerate: Times.optional().describe("Factor by which the rate of errors can exceed the primary's, as in 1.5x; 1.5x when absent."),
  atLeast: Percent.optional().describe('A canary with fewer errors than this is never bad, as in 0.1%; 0.1% when absent.'),
});
export type ToleratedErrors = z.infer<typeof ToleratedErrors>;

/** spec.analysis.comparison. */
export const AnalysisComparison = z.object({
  mode: z
    .enum(['shadow', 'gate'])
    .optional()
    .describe(
      '`shadow`: computed and shown, and decides nothing. `gate`: rolls back a canary that is worse than tolerated. `shadow` when absent.',
    ),
  falseAlarm: z
    .number()
    .min(1e-6)
    .max(0.2)
    .meta({ [strictMark]: true })
    .optional()
    .describe('Chance that a version no worse than tolerated is rolled back by this at any time of the release; 0.01 when absent.'),
  errors: ToleratedErrors.optional().describe('Limits of failed requests, which are compared in any case.'),
  latency: z
    .object({
      quantile: z
        .number()
        .min(0.5)
        .max(0.9999)
        .meta({ [strictMark]: true })
        .optional()
        .describe('Quantile of durations that is compared; 0.99 when absent.'),
      tolerate: Times.optional().describe("Factor by which the quantile can exceed the primary's, as in 1.2x; 1.2x when absent."),
    })
    .optional()
    .describe('Also compares durations, by the buckets of the histogram.'),
  warmUp: WindowText.optional().describe(
    'Time from the first ready pod of the canary until requests count, as duration text; 30s when absent.',
  ),
  pace: z
    .enum(['interval', 'evidence'])
    .optional()
    .describe(
      'With mode gate. `evidence`: a passed check takes its step only when the canary is shown to be no worse than tolerated. `interval` when absent.',
    ),
  maxStepDuration: WindowText.optional().describe(
    'With pace evidence: after this time a step is taken without evidence, as duration text; 1h when absent.',
  ),
});
export type AnalysisComparison = z.infer<typeof AnalysisComparison>;

/** `1.5x` as 1.5. */
export const factorOf = (text: string): number => Number(text.slice(0, -1));

/** `0.1%` as 0.001. */
export const shareOf = (text: string): number => Number(text.slice(0, -1)) / 100;

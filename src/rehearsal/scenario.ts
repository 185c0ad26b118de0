import * as z from 'zod';
import { HookType } from '../api/canary.ts';
import { parseDuration } from '../api/duration.ts';
import { type Problem, problemsOf } from '../api/problem.ts';
import { isRecord } from '../base/json.ts';
import { LONGEST_MS } from './limits.ts';

const duration = (says: string) =>
  z
    .string()
    .refine((text) => parseDuration(text) !== undefined, { error: 'write a duration like 30s or 1m30s' })
    .refine((text) => (parseDuration(text) ?? 0) <= LONGEST_MS, { error: 'a rehearsal plays no longer: write 72h at most' })
    .transform((text) => parseDuration(text) ?? 0)
    .describe(says);

const behaviour = {
  errorRate: z.number().min(0).max(1).optional().describe('part of the requests that are answered 500, from 0 to 1'),
  latencyMs: z.number().positive().optional().describe('median of the time to answer'),
  latencySpread: z
    .number()
    .min(0)
    .max(3)
    .optional()
    .describe('standard deviation of the logarithm of that time: 0.3 puts the 99th percentile at twice the median'),
  readyAfter: duration('from the start of a pod until it is ready').optional(),
  crashes: z.boolean().optional().describe('pods that start from now on exit at once'),
  neverReady: z.boolean().optional().describe('pods never pass their readiness probe'),
};

/** Actions of a scenario's steps. Strict: a misspelt field would be a step that does nothing. */
export const Action = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('new-version'), ...behaviour }).describe('change how pods of the new version behave'),
  z.strictObject({ do: z.literal('old-version'), ...behaviour }).describe('change how pods of the old version behave'),
  z.strictObject({ do: z.literal('traffic'), requestsPerSecond: z.number().min(0).max(1e6) }).describe('change the request rate of users'),
  z.strictObject({ do: z.literal('prometheus'), answers: z.boolean() }).describe('make Prometheus refuse connections, or answer again'),
  z
    .strictObject({
      do: z.literal('webhooks'),
      types: z.array(HookType).min(1).optional().describe('default: all types'),
      status: z.int().min(200).max(599).optional().describe('default: the status of a working receiver'),
    })
    .describe('change what webhooks answer'),
  z
    .strictObject({ do: z.literal('kill-controller'), for: duration('until it is started again').default(30_000) })
    .describe('kill the controller of Serin, and start another one'),
  z
    .strictObject({ do: z.literal('drain-node'), node: z.string().optional() })
    .describe('cordon a node and evict its pods; default: node-a'),
  z
    .strictObject({ do: z.literal('quota'), pods: z.int().min(0).optional().describe('default: as many as there are') })
    .describe('refuse pods beyond so many in the namespace'),
  z
    .strictObject({ do: z.literal('cpu-demand'), millicores: z.int().min(0) })
    .describe('what all pods of each side use together: HPAs follow it'),
  z
    .strictObject({ do: z.literal('proxy-lag'), least: duration('of the fastest change'), most: duration('of the slowest change') })
    .describe('change how late proxies learn of routes and endpoints'),
]);
export type Action = z.infer<typeof Action>;

const ScenarioStep = z.strictObject({ at: duration('from the push of the new version'), does: Action });
export type Step = z.infer<typeof ScenarioStep>;

/** Without steps, an ordinary release. */
export const Scenario = z.strictObject({
  name: z.string().min(1).max(60),
  says: z.string().max(200).default('').describe('one sentence for the report'),
  expect: z
    .enum(['promoted', 'not-promoted', 'either'])
    .default('either')
    .describe('not-promoted: the new version harms users; its promotion makes the exit code 1'),
  steps: z.array(ScenarioStep).max(100).default([]),
});
export type Scenario = z.infer<typeof Scenario>;

/** Parses a scenario of a file, in which a step has `at` beside `do`. */
export function parseScenario(raw: unknown): { scenario: Scenario } | { problems: Problem[] } {
  const unfolded = isRecord(raw) && Array.isArray(raw.steps) ? { ...raw, steps: raw.steps.map(unfold) } : raw;
  const parsed = Scenario.safeParse(unfolded);
  if (parsed.success) return { scenario: parsed.data };
  const known = problemsOf(parsed.error, unfolded).map(({ path, message }, index) => ({
    path: path.replace('.does', ''),
    message: ownMessage(parsed.error.issues[index]) ?? message,
  }));
  return { problems: known };
}

function ownMessage(issue: z.core.$ZodIssue | undefined): string | undefined {
  if (issue?.code === 'unrecognized_keys') return `has the unknown field ${issue.keys.join(', ')}: correct or remove it`;
  if (issue?.code === 'invalid_union') return `must be one of ${Action.options.map((option) => option.shape.do.value).join(', ')}`;
  return undefined;
}

function unfold(step: unknown): unknown {
  if (!isRecord(step)) return step;
  const { at, ...does } = step;
  return { at, does };
}

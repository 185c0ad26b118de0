import { SIDES, type Side } from '../recording/recording.ts';
import type { NamedScenario } from '../scenarios/scenario.ts';

/** Refusals that each side gets from a gate before it opens. */
const REFUSALS = 2;
/** Refusals after which a gate opens for a side, even if the other side never gets there. */
const MOST_REFUSALS = 6;
/** Longer than the timeout of every webhook. */
export const SLOW_MS = 8_000;

export interface HookAnswer {
  status: number;
  delayMs: number;
}
/** `values`: one number for each series found. */
export type MetricAnswer = { status: 200; values: readonly number[] } | { status: 503 };

const GOOD = { rate: 100, other: 0.1 };
const BAD = { rate: 50, other: 900 };

/** Answers of all receivers to both sides. They depend only on the scenario and on the number of calls by that side. */
export class Answers {
  readonly #scenarios: ReadonlyMap<string, NamedScenario>;
  readonly #asked = new Map<string, number>();
  readonly #opened = new Set<string>();
  readonly #isUnderAnalysis: (side: Side, scenario: string) => boolean;

  /** `isUnderAnalysis`: the canary has had traffic, or the first of its iterations. */
  constructor(scenarios: readonly NamedScenario[], isUnderAnalysis: (side: Side, scenario: string) => boolean) {
    this.#isUnderAnalysis = isUnderAnalysis;
    this.#scenarios = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  }

  /** Number of calls of a hook by a side. */
  asked(side: Side, scenario: string, hook: string): number {
    return this.#asked.get(`${side}/${scenario}/${hook}`) ?? 0;
  }

  hook(side: Side, name: string, hook: string): HookAnswer {
    const scenario = this.#scenarios.get(name);
    this.#count(`${side}/${name}/${hook}`);
    if (hook === 'gate') return { status: this.#isOpen(name, scenario?.gate ?? 'none') ? 200 : 403, delayMs: 0 };
    const kind = scenario?.hook ?? 'none';
    if (kind.endsWith('-4xx')) return { status: 403, delayMs: 0 };
    if (kind.endsWith('-5xx')) return { status: 500, delayMs: 0 };
    if (kind === 'rollback-no') return { status: 403, delayMs: 0 };
    if (kind === 'rollback-later') return { status: this.#isUnderAnalysis(side, name) ? 200 : 403, delayMs: 0 };
    return { status: 200, delayMs: kind.endsWith('-slow') ? SLOW_MS : 0 };
  }

  metric(side: Side, name: string, query: string): MetricAnswer {
    const checks = this.#scenarios.get(name)?.checks ?? 'none';
    const count = this.#count(`${side}/${name}/query/${query}`);
    if (checks === 'builtin-down') return { status: 503 };
    if (checks === 'builtin-no-data') return { status: 200, values: [] };
    const isRate = !query.includes('histogram_quantile') && checks.startsWith('builtin');
    // Only the first of two checks fails: Flagger runs the second one only at the next interval, and would count two failures.
    const isFirst = count === 1 && (isRate || !checks.startsWith('builtin'));
    const isBad = checks.endsWith('-fails') || (checks.endsWith('-fails-once') && isFirst);
    return { status: 200, values: [(isBad ? BAD : GOOD)[isRate ? 'rate' : 'other']] };
  }

  #count(key: string): number {
    const count = (this.#asked.get(key) ?? 0) + 1;
    this.#asked.set(key, count);
    return count;
  }

  /** Both sides see the gate open at the same moment: when both have been refused, or when one side has been refused for long. */
  #isOpen(name: string, gate: string): boolean {
    if (!gate.endsWith('-opens')) return !gate.endsWith('-closed');
    const refused = SIDES.map((side) => this.asked(side, name, 'gate') - 1);
    if (refused.every((times) => times >= REFUSALS) || refused.some((times) => times >= MOST_REFUSALS)) this.#opened.add(name);
    return this.#opened.has(name);
  }
}

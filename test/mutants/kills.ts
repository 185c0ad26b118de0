import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, Vitest } from 'vitest/node';

/** Titles of the tests that failed, and all other errors. */
export interface Outcome {
  failed: string[];
  /** Errors outside of tests: a change that crashes a module changes no rule. */
  errors: string[];
  tests: number;
}

/** True if a title names the rule. */
export const namesRule = (title: string, rule: string): boolean => new RegExp(`(?<![\\w-])${rule}(?!\\w)`).test(title);

/** Writes which tests fail, and ends the run at the first failed test that names the rule. */
export class Kills implements Reporter {
  readonly #rule: string | undefined;
  readonly #path: string | undefined;
  readonly #outcome: Outcome = { failed: [], errors: [], tests: 0 };
  #vitest: Vitest | undefined;

  constructor(rule: string | undefined, path: string | undefined) {
    this.#rule = rule;
    this.#path = path;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    this.#outcome.tests += 1;
    if (test.result().state !== 'failed') return;
    this.#outcome.failed.push(test.fullName);
    if (this.#rule !== undefined && namesRule(test.fullName, this.#rule)) void this.#vitest?.cancelCurrentRun('test-failure');
  }

  onTestRunEnd(modules: readonly { errors(): readonly { message: string }[] }[], unhandled: readonly { message: string }[]): void {
    const errors = [...modules.flatMap((one) => one.errors()), ...unhandled];
    this.#outcome.errors.push(...errors.map(({ message }) => message));
    if (this.#path !== undefined) writeFileSync(this.#path, JSON.stringify(this.#outcome));
  }
}

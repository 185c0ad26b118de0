import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Verb } from '../../../src/api/verb-request.ts';
import type { Environment } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { type Command, command } from './by-command.ts';
import type { History } from './history.ts';
import { type PlacedCanary, STEP } from './placed-canary.ts';
import { cellOf, NOTHING } from './table.ts';

/** Requests a verb, waits for the answer, and returns the ids. */
export type Way = (placed: PlacedCanary, verb: Verb) => Promise<string[]>;

export const once: Way = async (placed, verb) => {
  const id = await placed.requests.ask(verb);
  await placed.requests.answered(id);
  return [id];
};

/** Two people by the command, each of whom is answered. */
export const byTwo =
  (environment: Environment, serin: Command = command): Way =>
  async (placed, verb) => {
    const both = await Promise.all([serin(environment, placed.ref, verb), serin(environment, placed.ref, verb)]);
    for (const { code, result } of both) expect([code, result.outcome]).toEqual(code === 0 ? [0, 'done'] : [5, 'refused']);
    return both.map(({ result }) => result.id ?? '');
  };

/** Two writers who took the same id, and one of them once more after the answer. */
export const underOneId: Way = async (placed, verb) => {
  const id = randomUUID();
  await Promise.all([placed.requests.ask(verb, id, 'ann@example.org'), placed.requests.ask(verb, id, 'bob@example.org')]);
  await placed.requests.answered(id);
  await placed.requests.ask(verb, id, 'bob@example.org');
  return [id];
};

/** Checks the effect of a request against the table: done once, or refused with nothing done. */
export class Inquiry {
  readonly #history: History;
  readonly #placed: PlacedCanary;
  readonly #verb: Verb;
  readonly #before: { snapshot: unknown; version: number };

  private constructor(history: History, placed: PlacedCanary, verb: Verb, before: { snapshot: unknown; version: number }) {
    this.#history = history;
    this.#placed = placed;
    this.#verb = verb;
    this.#before = before;
  }

  /** State before the request. */
  static async begin(history: History, placed: PlacedCanary, verb: Verb): Promise<Inquiry> {
    return new Inquiry(history, placed, verb, { snapshot: await placed.snapshot(), version: await placed.version() });
  }

  async end(ids: readonly string[]): Promise<void> {
    const placed = this.#placed;
    const { name, row, isPaused, at } = placed.place;
    const cell = cellOf(row, this.#verb, isPaused);
    const answersOf = (id: string) => this.#history.answers(name, id);
    const perId = await eventually(
      'each is answered',
      () => ids.map(answersOf),
      (all) => all.every(({ length }) => length > 0),
    );
    expect(
      perId.map(({ length }) => length),
      'answers to each id',
    ).toEqual(ids.map(() => 1));
    expect(
      ids.filter((id) => this.#history.isTwofold(name, id)),
      'listed twice',
    ).toEqual([]);
    const answers = perId.flat();
    const isDone = 'effect' in cell;
    const refusals = answers.filter(({ outcome }) => outcome === 'refused');
    expect(refusals.length, 'refused of them').toBe(isDone ? ids.length - 1 : ids.length);
    for (const { reason } of refusals) expect(reason).toMatch(/\w+ \w+/);
    if (isDone) {
      await placed.until(cell.leadsTo ?? at);
      const effect = () => this.#history.effectSince(this.#before.version, name);
      await eventually(`what ${this.#verb} does is done`, effect, (now) => JSON.stringify(now) === JSON.stringify(cell.effect));
      await placed.requests.settle();
      expect(effect(), 'how often each was done').toEqual(cell.effect);
      expect(await placed.state()).toBe(cell.leadsTo ?? at);
      const carriedOut = answers.find(({ outcome }) => outcome === 'carriedOut');
      expect(await placed.pausedBy()).toBe(this.#verb === 'pause' ? carriedOut?.by : undefined);
    } else {
      for (const { reason } of refusals) expect(reason).toContain(cell.refused);
      await placed.requests.settle();
      expect(await placed.snapshot(), 'nothing was done').toEqual(this.#before.snapshot);
      expect(this.#history.effectSince(this.#before.version, name), 'nor undone again').toEqual(NOTHING);
    }
    // Once more, now that all is over: an answer must not be given twice, before the act and after it.
    expect(ids.flatMap(answersOf), 'answers at the end').toEqual(answers);
    expect(
      ids.filter((id) => this.#history.isTwofold(name, id)),
      'listed twice',
    ).toEqual([]);
    expect(this.#history.doubleSteps(name, STEP)).toEqual([]);
    // An Event that is lost must not stop a release: reported at most once.
    for (const { id, outcome } of answers)
      expect([[], [outcome === 'carriedOut' ? 'RequestCompleted' : 'RequestRejected']]).toContainEqual(this.#history.reasonsOf(id));
    if (isDone) await placed.comeBack(this.#verb);
  }
}

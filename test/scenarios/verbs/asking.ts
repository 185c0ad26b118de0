import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Verb } from '../../../src/api/verb-request.ts';
import { eventually } from '../eventually.ts';
import type { Stage } from '../stage.ts';
import { type Command, command } from './by-command.ts';
import type { History } from './history.ts';
import { type Seat, STEP } from './seat.ts';
import { cellOf, NOTHING } from './table.ts';

/** Asks, waits for the answer, and tells under which ids. */
export type Way = (seat: Seat, verb: Verb) => Promise<string[]>;

export const once: Way = async (seat, verb) => {
  const id = await seat.requests.ask(verb);
  await seat.requests.answered(id);
  return [id];
};

/** Two people by the command, each of whom is answered. */
export const byTwo =
  (stage: Stage, serin: Command = command): Way =>
  async (seat, verb) => {
    const both = await Promise.all([serin(stage, seat.ref, verb), serin(stage, seat.ref, verb)]);
    for (const { code, result } of both) expect([code, result.outcome]).toEqual(code === 0 ? [0, 'done'] : [5, 'refused']);
    return both.map(({ result }) => result.id ?? '');
  };

/** Two writers who took the same id, and one of them once more after the answer. */
export const underOneId: Way = async (seat, verb) => {
  const id = randomUUID();
  await Promise.all([seat.requests.ask(verb, id, 'ann@example.org'), seat.requests.ask(verb, id, 'bob@example.org')]);
  await seat.requests.answered(id);
  await seat.requests.ask(verb, id, 'bob@example.org');
  return [id];
};

/** What was asked and came of it is what the table says: done once, or refused with nothing done. */
export class Inquiry {
  readonly #history: History;
  readonly #seat: Seat;
  readonly #verb: Verb;
  readonly #before: { picture: unknown; version: number };

  private constructor(history: History, seat: Seat, verb: Verb, before: { picture: unknown; version: number }) {
    this.#history = history;
    this.#seat = seat;
    this.#verb = verb;
    this.#before = before;
  }

  /** Before it is asked. */
  static async begin(history: History, seat: Seat, verb: Verb): Promise<Inquiry> {
    return new Inquiry(history, seat, verb, { picture: await seat.picture(), version: await seat.version() });
  }

  async end(ids: readonly string[]): Promise<void> {
    const seat = this.#seat;
    const { name, row, isPaused, at } = seat.place;
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
      await seat.until(cell.leadsTo ?? at);
      const effect = () => this.#history.effectSince(this.#before.version, name);
      await eventually(`what ${this.#verb} does is done`, effect, (now) => JSON.stringify(now) === JSON.stringify(cell.effect));
      await seat.requests.settle();
      expect(effect(), 'how often each was done').toEqual(cell.effect);
      expect(await seat.state()).toBe(cell.leadsTo ?? at);
      const carriedOut = answers.find(({ outcome }) => outcome === 'carriedOut');
      expect(await seat.pausedBy()).toBe(this.#verb === 'pause' ? carriedOut?.by : undefined);
    } else {
      for (const { reason } of refusals) expect(reason).toContain(cell.refused);
      await seat.requests.settle();
      expect(await seat.picture(), 'nothing was done').toEqual(this.#before.picture);
      expect(this.#history.effectSince(this.#before.version, name), 'nor undone again').toEqual(NOTHING);
    }
    // Once more, now that all is over: an answer must not be given twice, before the act and after it.
    expect(ids.flatMap(answersOf), 'answers at the end').toEqual(answers);
    expect(
      ids.filter((id) => this.#history.isTwofold(name, id)),
      'listed twice',
    ).toEqual([]);
    expect(this.#history.doubleSteps(name, STEP)).toEqual([]);
    // An Event that is lost is no reason to stop a release: told once at most.
    for (const { id, outcome } of answers)
      expect([[], [outcome === 'carriedOut' ? 'RequestCompleted' : 'RequestRejected']]).toContainEqual(this.#history.told(id));
    if (isDone) await seat.comeBack(this.#verb);
  }
}

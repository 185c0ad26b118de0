import { type Entry, type Fact, type Recording, SIDES, type Side } from './recording.ts';

/** Collects what both sides do, by scenario. */
export class Journal {
  readonly #entries = new Map<string, Record<Side, Entry[]>>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Opens the recording of a scenario; what happens in the name of an unknown one is dropped. */
  open(scenario: string): void {
    this.#entries.set(scenario, { flagger: [], serin: [] });
  }

  add(side: Side, scenario: string, fact: Fact): void {
    this.#entries.get(scenario)?.[side].push({ atMs: this.#nowMs(), ...fact });
  }

  of(scenario: string): Recording {
    return this.#entries.get(scenario) ?? { flagger: [], serin: [] };
  }

  /** The scenario that an object belongs to, by its name. */
  scenarioOf(name: string): string | undefined {
    return [...this.#entries.keys()].find((scenario) => name === scenario || name.startsWith(`${scenario}-`));
  }

  /** Scenario whose name a text contains. */
  scenarioIn(text: string): string | undefined {
    return [...this.#entries.keys()].find((scenario) => text.includes(scenario));
  }

  /** Milliseconds since the last change of a status, of pods or of an object; polls repeat for ever. */
  quietMs(scenario: string): number {
    const last = SIDES.flatMap((side) => this.of(scenario)[side].filter(isNews).at(-1)?.atMs ?? 0);
    return this.#nowMs() - Math.max(0, ...last);
  }
}

const isNews = ({ kind }: Entry): boolean => kind === 'status' || kind === 'pods' || kind === 'object';

import type { Cell, ShortCell } from './cells.ts';
import type { LatencyCell } from './latency-traffic.ts';
import type { Outcome, Outcomes } from './play.ts';

/** A cell with how its releases ended. */
export type Played<C> = C & { outcomes: Outcomes };

/** Results of the study; docs/study.md is generated from them. */
export interface Results {
  seed: number;
  minutes: number;
  /** Canaries no worse than tolerated; the judge of Serin looks for harm to the horizon. */
  null: Played<Cell>[];
  /** Cells with more false alarms than 0.5%, played again with other numbers and more releases. */
  again: Played<Cell>[];
  breaking: Played<Cell>[];
  good: Played<Cell>[];
  bad: Played<Cell>[];
  late: Played<Cell>[];
  latency: Played<LatencyCell>[];
  latencyNull: Played<LatencyCell>[];
  /** Windows shorter than a minute: as in `null`, `again` and `bad`. */
  shortNull: Played<ShortCell>[];
  shortAgain: Played<ShortCell>[];
  shortBad: Played<ShortCell>[];
}

/** Rolled back, promoted, and the minutes to both, 0 without a release. */
type Short = [number, number, number, number];

/** The results as text, a line for each cell: there are more than a thousand. */
export function writeResults(results: Partial<Results>): string {
  const parts = Object.entries(results).map(([name, value]) => {
    const text = Array.isArray(value) ? `[\n${value.map(lineOf).join(',\n')}\n]` : JSON.stringify(value);
    return `${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}

function lineOf({ outcomes, ...cell }: Played<Cell> | Played<LatencyCell>): string {
  const short = Object.entries(outcomes).map(([name, outcome]): [string, Short] => [
    name,
    [outcome.rolledBack, outcome.promoted, outcome.minutesToRollback ?? 0, outcome.minutesToPromotion ?? 0],
  ]);
  return JSON.stringify({ ...cell, ...Object.fromEntries(short) });
}

/** The reverse of `writeResults`. */
export function readResults(text: string): Results {
  return JSON.parse(text, (_, value) => (Array.isArray(value) && value.every(isLine) ? value.map(playedOf) : value));
}

const isLine = (value: unknown): value is Record<string, unknown> & { releases: number } =>
  typeof value === 'object' && value !== null && 'releases' in value;

function playedOf({ releases, ...line }: Record<string, unknown> & { releases: number }): object {
  const [short, cell] = [
    Object.entries(line).filter(([, value]) => isShort(value)),
    Object.entries(line).filter(([, value]) => !isShort(value)),
  ];
  const outcomes = short.map(([name, value]) => [name, isShort(value) ? outcomeOf(value, releases) : undefined]);
  return { ...Object.fromEntries(cell), releases, outcomes: Object.fromEntries(outcomes) };
}

const isShort = (value: unknown): value is Short => Array.isArray(value) && value.length === 4;

function outcomeOf([rolledBack, promoted, minutesToRollback, minutesToPromotion]: Short, releases: number): Outcome {
  return {
    rolledBack,
    promoted,
    undecided: releases - rolledBack - promoted,
    ...(minutesToRollback === 0 ? {} : { minutesToRollback }),
    ...(minutesToPromotion === 0 ? {} : { minutesToPromotion }),
  };
}

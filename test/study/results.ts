import type { Cell } from './cells.ts';
import type { LatencyCell } from './latency-traffic.ts';
import type { Outcomes } from './play.ts';

/** A cell with how its releases ended. */
export type Played<C> = C & { outcomes: Outcomes };

/** What the study found; docs/study.md is made of it. */
export interface Results {
  seed: number;
  minutes: number;
  /** No worse than tolerated; the judge of Serin looks for harm to the horizon. */
  null: Played<Cell>[];
  /** Those of them with more false alarms than 1 %, played again with other numbers and more releases. */
  again: Played<Cell>[];
  breaking: Played<Cell>[];
  good: Played<Cell>[];
  bad: Played<Cell>[];
  latency: Played<LatencyCell>[];
  latencyNull: Played<LatencyCell>[];
}

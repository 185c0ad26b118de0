import type { Behaviour } from './applications.ts';
import type { ControllerName } from './faults.ts';

/** Results of one release, for its users and its Canary. */
export interface PlayedRelease {
  controller: ControllerName;
  /** A word of the docs. */
  way: string;
  fault: string;
  behaviour: Behaviour;
  /** Phase at the end, with a question mark if no end came in time. */
  phase: string;
  /** From the change of the target to the end of the release. */
  seconds: number;
  sent: number;
  failed: number;
  /** Why, with how many there were of each. */
  reasons: Readonly<Record<string, number>>;
  /** Answers of the new version, below 500. */
  answeredByNew: number;
}

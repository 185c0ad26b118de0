import type { ControllerChild } from './controller-child.ts';
import type { DemoProvider } from './demo-cluster.ts';

/** Flags of `serin demo`. */
export interface DemoOptions {
  provider: DemoProvider;
  keep: boolean;
  /** Opens the dashboard of its cluster in the browser; the cluster stays, as with `keep`. */
  open: boolean;
  json: boolean;
}

/** The signals that end the demo, with the exit code of each. */
export const endingSignals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Resources that must not outlive the demo, however it ends. */
export interface Leftovers {
  folder: string;
  /** The log of a failure is kept for reading. */
  isKept: boolean;
  child: ControllerChild | undefined;
}

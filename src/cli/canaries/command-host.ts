import type { Surroundings } from './session.ts';

/** The environment of a command. */
export interface CommandHost {
  /** By default the process's own environment and streams. */
  around?: Surroundings;
  end(code: number): void;
}

/** The host of the program: this process. */
export const inProcess: CommandHost = {
  end(code) {
    process.exitCode = code;
  },
};

import type { Surroundings } from './session.ts';

/** What a command is run in. */
export interface CommandHost {
  /** Absent: the process's own environment and streams. */
  around?: Surroundings;
  end(code: number): void;
}

export const inProcess: CommandHost = {
  end(code) {
    process.exitCode = code;
  },
};

/** Abilities of the terminal: decided once, from the environment and the flags. */
export interface Terminal {
  /** Colour beside words, never instead of them. */
  color: boolean;
  /** Characters beyond ASCII. */
  unicode: boolean;
  /** Lines can be redrawn in place. */
  live: boolean;
  /** Most characters of a line. */
  columns: number;
}

/** Inputs of the decision: environment, stream and flags. */
export interface TerminalChoice {
  env: Readonly<Record<string, string | undefined>>;
  /** The standard output; without a terminal a program reads it. */
  out: { isTTY?: boolean | undefined; columns?: number | undefined };
  /** `--no-color` is false. */
  color: boolean;
  plain: boolean;
}

/** The width of a terminal that does not report it. */
const COLUMNS = 80;
const NARROWEST = 40;

/** `NO_COLOR` (if not empty), `TERM=dumb`, `--no-color` and `--plain` each do without colour; the last and no UTF-8 locale without other characters. */
export function terminalOf({ env, out, color, plain }: TerminalChoice): Terminal {
  const isTerminal = out.isTTY === true;
  const isDumb = env.TERM === 'dumb' || plain;
  return {
    color: isTerminal && !isDumb && color && !env.NO_COLOR,
    unicode: !plain && speaksUtf8(env),
    live: isTerminal && !isDumb,
    columns: Math.max(NARROWEST, (isTerminal && out.columns) || COLUMNS),
  };
}

/** The first of these that is set decides, as POSIX has it. */
function speaksUtf8(env: TerminalChoice['env']): boolean {
  return /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
}

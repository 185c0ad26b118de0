type Test = (char: string) => boolean;

interface Atom {
  test: Test;
  /** Comparisons that one test takes at most. */
  cost: number;
  /** `optional`: the atom can be left out. `repeats`: it can match more than once. */
  optional: boolean;
  repeats: boolean;
}

interface Alternative {
  atStart: boolean;
  atEnd: boolean;
  atoms: readonly Atom[];
}

/**
 * The patterns of grep that need no groups. All ways to match are followed side by side, so the time is that of the text times that of
 * the pattern: no pattern of a Canary can hold the process up, as it can with the expressions of JavaScript.
 */
export class LinePattern {
  readonly #alternatives: readonly Alternative[];
  readonly #ignoresCase: boolean;
  readonly #wholeLine: boolean;

  constructor(alternatives: readonly Alternative[], { ignoresCase, wholeLine }: { ignoresCase: boolean; wholeLine: boolean }) {
    this.#alternatives = alternatives;
    this.#ignoresCase = ignoresCase;
    this.#wholeLine = wholeLine;
  }

  /** Steps that `matches` takes at most: each piece of the pattern is tried on each character. */
  stepsFor(line: string): number {
    return (line.length + 1) * (this.#alternatives.length + costOf(this.#alternatives));
  }

  matches(line: string): boolean {
    const chars = Array.from(this.#ignoresCase ? line.toLowerCase() : line);
    return this.#alternatives.some((alternative) =>
      this.#wholeLine ? isIn(chars, { ...alternative, atStart: true, atEnd: true }) : isIn(chars, alternative),
    );
  }
}

function isIn(chars: readonly string[], { atoms, atStart, atEnd }: Alternative): boolean {
  const end = atoms.length;
  /** Positions in the pattern that the text read so far can have reached. */
  let states = new Uint8Array(end + 1);
  const enter = (into: Uint8Array, at: number) => {
    for (let next = at; ; next += 1) {
      if (into[next]) return;
      into[next] = 1;
      if (next === end || !atoms[next]?.optional) return;
    }
  };
  enter(states, 0);
  for (const char of chars) {
    if (states[end] && !atEnd) return true;
    const after = new Uint8Array(end + 1);
    for (let at = 0; at < end; at += 1) {
      const atom = atoms[at];
      if (!states[at] || !atom?.test(char)) continue;
      enter(after, at + 1);
      // After the first match, a repetition is optional.
      if (atom.repeats) after[at] = 1;
    }
    if (!atStart) enter(after, 0);
    states = after;
  }
  return states[end] === 1;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  ...{
    alpha: /\p{L}/u,
    digit: /[0-9]/,
    alnum: /[\p{L}0-9]/u,
    upper: /\p{Lu}/u,
    lower: /\p{Ll}/u,
    space: /\s/,
    blank: /[ \t]/,
    punct: /[!-/:-@[-`{-~]/,
  },
  xdigit: /[0-9a-fA-F]/,
};
const MOST_ATOMS = 128;

/** Reads a pattern as grep does: basic (`\+`, `\?`, `\|` are special) or extended (`+`, `?`, `|` are). */
export function linePattern(
  text: string,
  kind: 'fixed' | 'basic' | 'extended',
  options: { ignoresCase: boolean; wholeLine: boolean },
): LinePattern | { problem: string } {
  const fold = (char: string) => (options.ignoresCase ? char.toLowerCase() : char);
  const once = (test: Test, cost = 1): Atom => ({ test, cost, optional: false, repeats: false });
  const only = (char: string): Atom => {
    const wanted = fold(char);
    return once((other) => other === wanted);
  };
  if (kind === 'fixed') {
    const alternatives = text.split('\n').map((line) => ({ atStart: false, atEnd: false, atoms: Array.from(line, only) }));
    return tooLong(alternatives) ?? new LinePattern(alternatives, options);
  }
  const chars = Array.from(text);
  const alternatives: { atStart: boolean; atEnd: boolean; atoms: Atom[] }[] = [{ atStart: false, atEnd: false, atoms: [] }];
  for (let at = 0; at < chars.length; at += 1) {
    const alternative = alternatives.at(-1);
    if (alternative === undefined) break;
    const isEscaped = chars[at] === '\\';
    if (isEscaped) at += 1;
    const char = chars[at];
    if (char === undefined) return { problem: 'its pattern ends with a backslash' };
    const isSpecial = isEscaped ? kind === 'basic' : kind === 'extended';
    const last = alternative.atoms.at(-1);
    if (char === '|' && isSpecial) alternatives.push({ atStart: false, atEnd: false, atoms: [] });
    else if ('(){}'.includes(char) && isSpecial) return { problem: 'its pattern has groups or counts' };
    else if (isEscaped && /[1-9bBAZ<>]/.test(char)) return { problem: `its pattern has \\${char}` };
    else if (isEscaped && /[wWsS]/.test(char)) {
      const wanted = /[wW]/.test(char) ? /[\p{L}0-9_]/u : /\s/;
      const isNot = /[WS]/.test(char);
      alternative.atoms.push(once((other) => wanted.test(other) !== isNot));
    } else if (((char === '*' && !isEscaped) || ('+?'.includes(char) && isSpecial)) && last) {
      last.optional ||= char !== '+';
      last.repeats ||= char !== '?';
    } else if (char === '^' && !isEscaped && alternative.atoms.length === 0 && !alternative.atStart) alternative.atStart = true;
    else if (char === '$' && !isEscaped && endsAlternative(chars, at + 1, kind)) alternative.atEnd = true;
    else if (char === '.' && !isEscaped) alternative.atoms.push(once(() => true));
    else if (char === '[' && !isEscaped) {
      const set = bracket(chars, at + 1, fold);
      if (set === undefined) return { problem: 'its pattern has a `[` without `]`' };
      alternative.atoms.push(once(set.test, set.cost));
      at = set.end;
    } else alternative.atoms.push(only(char));
  }
  return tooLong(alternatives) ?? new LinePattern(alternatives, options);
}

function costOf(alternatives: readonly Alternative[]): number {
  return alternatives.reduce((sum, { atoms }) => sum + atoms.reduce((inOne, { cost }) => inOne + cost, 0), 0);
}

function tooLong(alternatives: readonly Alternative[]): { problem: string } | undefined {
  return costOf(alternatives) > MOST_ATOMS || alternatives.length > MOST_ATOMS
    ? { problem: `its pattern is longer than ${MOST_ATOMS} characters` }
    : undefined;
}

function endsAlternative(chars: readonly string[], at: number, kind: 'basic' | 'extended'): boolean {
  return at === chars.length || (kind === 'extended' ? chars[at] === '|' : chars[at] === '\\' && chars[at + 1] === '|');
}

function bracket(
  chars: readonly string[],
  from: number,
  fold: (char: string) => string,
): { test: Test; cost: number; end: number } | undefined {
  const isNot = chars[from] === '^';
  const tests: Test[] = [];
  const first = from + (isNot ? 1 : 0);
  for (let at = first; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === ']' && at > first) return { test: (other) => tests.some((test) => test(other)) !== isNot, cost: tests.length, end: at };
    const named = /^\[:(\w+):\]/.exec(chars.slice(at, at + 12).join(''));
    const known = named && Object.hasOwn(CLASSES, named[1] ?? '') ? CLASSES[named[1] ?? ''] : undefined;
    if (named && known) {
      tests.push((other) => known.test(other));
      at += named[0].length - 1;
    } else if (chars[at + 1] === '-' && chars[at + 2] !== undefined && chars[at + 2] !== ']') {
      const [low, high] = [fold(char), fold(chars[at + 2] ?? '')];
      tests.push((other) => other >= low && other <= high);
      at += 2;
    } else {
      const wanted = fold(char);
      tests.push((other) => other === wanted);
    }
  }
  return undefined;
}

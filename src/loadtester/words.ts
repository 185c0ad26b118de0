/** The words of a shell line, as far as it needs no shell: commands joined by `|`, each a list of words. */
export type ShellLine = { pipeline: readonly (readonly string[])[] } | { beyond: string };

/**
 * Reads quotes, backslashes and `|` as a shell does. `beyond` names the first thing that only a shell can do. Patterns of files (`*`, `?`) are taken literally,
 * as a shell does if no file matches.
 */
export function commandLine(text: string): ShellLine {
  const scan = new Scan(text.trim(), true);
  const words = scan.words();
  if ('beyond' in words) return words;
  const pipeline = words.words;
  return pipeline.some((command) => command.length === 0)
    ? { beyond: pipeline.length === 1 ? 'no command' : 'a `|` without a command' }
    : { pipeline };
}

/** Arguments of a program that runs without a shell: only quotes and backslashes mean something. */
export function argumentWords(text: string): { words: readonly string[] } | { beyond: string } {
  const words = new Scan(text.trim(), false).words();
  return 'beyond' in words ? words : { words: words.words[0] ?? [] };
}

const OPERATORS: Readonly<Record<string, string>> = {
  ';': '`;`',
  '&': '`&`',
  '<': '`<`',
  '>': '`>`',
  '(': 'a subshell',
  ')': 'a subshell',
  '\n': 'a second line',
  '`': 'a command in backticks',
};

class Scan {
  readonly #text: string;
  readonly #isShell: boolean;
  #at = 0;

  constructor(text: string, isShell: boolean) {
    this.#text = text;
    this.#isShell = isShell;
  }

  words(): { words: string[][] } | { beyond: string } {
    const commands: string[][] = [[]];
    let word: string | undefined;
    const endWord = () => {
      if (word !== undefined) commands.at(-1)?.push(word);
      word = undefined;
    };
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? '';
      if (char === '\\' && this.#text[this.#at + 1] === '\n') this.#at += 1;
      else if (char === ' ' || char === '\t' || char === '\r' || (char === '\n' && !this.#isShell)) endWord();
      else if (char === "'" || char === '"' || char === '\\') {
        const quoted = char === '\\' ? this.#escaped() : this.#quoted(char);
        if (typeof quoted !== 'string') return quoted;
        word = (word ?? '') + quoted;
      } else if (this.#isShell && char === '|' && this.#text[this.#at + 1] !== '|' && this.#text[this.#at + 1] !== '&') {
        endWord();
        commands.push([]);
      } else {
        const beyond = this.#isShell ? this.#beyond(char, word === undefined) : undefined;
        if (beyond !== undefined) return { beyond };
        word = (word ?? '') + char;
      }
    }
    endWord();
    return { words: commands };
  }

  #escaped(): string | { beyond: string } {
    this.#at += 1;
    return this.#text[this.#at] ?? { beyond: 'a backslash at the end' };
  }

  #quoted(quote: string): string | { beyond: string } {
    let text = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? '';
      if (char === quote) return text;
      if (quote === '"' && char === '\\' && /["\\$`\n]/.test(this.#text[this.#at + 1] ?? '')) {
        this.#at += 1;
        if (this.#text[this.#at] !== '\n') text += this.#text[this.#at];
        continue;
      }
      const beyond = quote === '"' && this.#isShell && (char === '$' || char === '`') ? this.#beyond(char, false) : undefined;
      if (beyond !== undefined) return { beyond };
      text += char;
    }
    return { beyond: 'a quote that is not closed' };
  }

  #beyond(char: string, atWordStart: boolean): string | undefined {
    if (char === '$') return /[A-Za-z0-9_{(*@#?$!'"-]/.test(this.#text[this.#at + 1] ?? '') ? 'a `$`' : undefined;
    if (atWordStart && (char === '#' || char === '~')) return `\`${char}\``;
    if (char === '|') return '`||`';
    return OPERATORS[char];
  }
}

/** A value inside a template: a text, a number, a truth, or the map `variables`. */
export type TemplateValue = string | number | boolean | Readonly<Record<string, string>>;

/** A mistake in a template, at an offset into its text. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

export type Operand =
  | { kind: 'literal'; value: string | number | boolean; at: number }
  | { kind: 'call'; name: string; at: number }
  | { kind: 'variable'; name: string; at: number }
  | { kind: 'field'; of: Operand; name: string; at: number }
  | { kind: 'group'; pipeline: Pipeline; at: number };

/** Commands joined by `|`; each one's value is the last argument of the next. */
export interface Pipeline {
  commands: readonly (readonly Operand[])[];
  at: number;
}

export type TemplateNode =
  | { kind: 'text'; text: string }
  | { kind: 'output'; pipeline: Pipeline }
  | { kind: 'assign'; variable: string; declares: boolean; pipeline: Pipeline; at: number };

const ACTION = /\{\{(-(?=\s))?([\s\S]*?)((?<=\s)-)?\}\}/g;
const TOKEN =
  /\s*(?:(?<string>"(?:[^"\\\n]|\\.)*")|(?<raw>`[^`]*`)|(?<number>[+-]?\d+(?:\.\d+)?)|(?<assign>:?=)|(?<variable>\$\w*)|(?<field>\.\w+)|(?<word>[A-Za-z_]\w*)|(?<mark>[|()]))/y;
const CONTROL = ['if', 'else', 'end', 'range', 'with', 'define', 'template', 'block', 'break', 'continue'];

interface Token {
  kind: string;
  text: string;
  at: number;
  /** White space stands before it; `a.b` is a field of `a`, `a .b` is two operands. */
  spaced: boolean;
}

/** The nodes of a template in Go's text/template language, as far as queries use it. Throws TemplateError. */
export function parseTemplate(text: string): TemplateNode[] {
  const nodes: TemplateNode[] = [];
  let from = 0;
  let trimNext = false;
  const pushText = (raw: string, trimEnd: boolean) => {
    let kept = trimNext ? raw.trimStart() : raw;
    if (trimEnd) kept = kept.trimEnd();
    if (kept !== '') nodes.push({ kind: 'text', text: kept });
  };
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const end = actionEnd(text, open);
    const [, trimBefore, body = '', trimAfter] = end;
    pushText(text.slice(from, open), trimBefore !== undefined);
    trimNext = trimAfter !== undefined;
    from = open + end[0].length;
    if (/^\s*\/\*[\s\S]*\*\/\s*$/.test(body)) continue;
    nodes.push(new ActionReader(text, open + 2 + (trimBefore?.length ?? 0), body).read());
  }
  pushText(text.slice(from), false);
  return nodes;
}

function actionEnd(text: string, open: number): RegExpExecArray {
  ACTION.lastIndex = open;
  const found = ACTION.exec(text);
  if (found?.index !== open) throw new TemplateError(open, 'unclosed action: "{{" without "}}"');
  return found;
}

class ActionReader {
  readonly #tokens: Token[] = [];
  readonly #start: number;
  #next = 0;

  constructor(text: string, start: number, body: string) {
    this.#start = start;
    const end = start + body.trimEnd().length;
    TOKEN.lastIndex = start;
    while (TOKEN.lastIndex < end) {
      const from = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (!match || TOKEN.lastIndex > end)
        throw new TemplateError(from, `unexpected ${JSON.stringify(text.slice(from, end).trim().slice(0, 20))}`);
      const [kind, token] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) as [string, string];
      this.#tokens.push({ kind, text: token, at: TOKEN.lastIndex - token.length, spaced: TOKEN.lastIndex - token.length > from });
    }
  }

  read(): TemplateNode {
    const [first, second] = this.#tokens;
    if (!first) throw new TemplateError(this.#start, 'missing value for command');
    if (first.kind === 'word' && CONTROL.includes(first.text)) {
      throw new TemplateError(first.at, `{{ ${first.text} }} is not supported in queries`);
    }
    if (first.kind === 'variable' && second?.kind === 'assign') {
      this.#next = 2;
      return { kind: 'assign', variable: first.text, declares: second.text === ':=', pipeline: this.#whole(), at: first.at };
    }
    return { kind: 'output', pipeline: this.#whole() };
  }

  #whole(): Pipeline {
    const pipeline = this.#pipeline();
    const left = this.#tokens[this.#next];
    if (left) throw new TemplateError(left.at, `unexpected ${JSON.stringify(left.text)}`);
    return pipeline;
  }

  #pipeline(): Pipeline {
    const at = this.#tokens[this.#next]?.at ?? this.#start;
    const commands = [this.#command()];
    while (this.#tokens[this.#next]?.text === '|') {
      this.#next++;
      commands.push(this.#command());
    }
    return { commands, at };
  }

  #command(): Operand[] {
    const operands: Operand[] = [];
    for (let token = this.#tokens[this.#next]; token && token.text !== '|' && token.text !== ')'; token = this.#tokens[this.#next]) {
      operands.push(this.#operand(token));
    }
    if (operands.length === 0) throw new TemplateError(this.#tokens[this.#next]?.at ?? this.#start, 'missing value for command');
    return operands;
  }

  #operand(token: Token): Operand {
    this.#next++;
    let operand = this.#simple(token);
    for (let field = this.#tokens[this.#next]; field?.kind === 'field' && !field.spaced; field = this.#tokens[this.#next]) {
      this.#next++;
      operand = { kind: 'field', of: operand, name: field.text.slice(1), at: field.at };
    }
    return operand;
  }

  #simple({ kind, text, at }: Token): Operand {
    if (kind === 'string') return { kind: 'literal', value: stringLiteral(text, at), at };
    if (kind === 'raw') return { kind: 'literal', value: text.slice(1, -1), at };
    if (kind === 'number') return { kind: 'literal', value: Number(text), at };
    if (kind === 'variable') return { kind: 'variable', name: text, at };
    if (kind === 'field') throw new TemplateError(at, `${text} has no value: write ${text.slice(1)} without the dot, or variables${text}`);
    if (kind === 'word' && (text === 'true' || text === 'false')) return { kind: 'literal', value: text === 'true', at };
    if (kind === 'word') return { kind: 'call', name: text, at };
    if (text !== '(') throw new TemplateError(at, `unexpected ${JSON.stringify(text)}`);
    const pipeline = this.#pipeline();
    if (this.#tokens[this.#next]?.text !== ')') throw new TemplateError(at, 'unclosed left parenthesis');
    this.#next++;
    return { kind: 'group', pipeline, at };
  }
}

function stringLiteral(text: string, at: number): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new TemplateError(at, `string literal ${text} is not understood`);
  }
}

import { TemplateError, type Token } from './template-tokens.ts';

export type Operand =
  | { kind: 'literal'; value: string | number | boolean; at: number }
  | { kind: 'call'; name: string; at: number }
  | { kind: 'variable'; name: string; at: number }
  | { kind: 'dot'; at: number }
  | { kind: 'field'; of: Operand; name: string; at: number }
  | { kind: 'group'; pipeline: Pipeline; at: number };

/** Commands joined by `|`; each one's value is the last argument of the next. */
export interface Pipeline {
  commands: readonly (readonly Operand[])[];
  at: number;
}

const MOST_PARENTHESES = 50;
const MOST_FIELDS = 50;

/** The pipeline that these tokens are, from the first to the last. Throws TemplateError. */
export function readPipeline(tokens: readonly Token[], start: number): Pipeline {
  return new PipelineReader(tokens, start).whole();
}

class PipelineReader {
  readonly #tokens: readonly Token[];
  readonly #start: number;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], start: number) {
    this.#tokens = tokens;
    this.#start = start;
  }

  whole(): Pipeline {
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
    let fields = 0;
    for (let field = this.#tokens[this.#next]; field?.kind === 'field' && !field.spaced; field = this.#tokens[this.#next]) {
      this.#next++;
      fields += 1;
      if (fields > MOST_FIELDS) throw new TemplateError(field.at, 'too many fields within each other');
      operand = { kind: 'field', of: operand, name: field.text.slice(1), at: field.at };
    }
    return operand;
  }

  #simple({ kind, text, at }: Token): Operand {
    if (kind === 'string') return { kind: 'literal', value: stringLiteral(text, at), at };
    if (kind === 'raw') return { kind: 'literal', value: text.slice(1, -1), at };
    if (kind === 'number') return { kind: 'literal', value: Number(text), at };
    if (kind === 'variable') return { kind: 'variable', name: text, at };
    if (kind === 'dot') return { kind: 'dot', at };
    if (kind === 'field') return { kind: 'field', of: { kind: 'dot', at }, name: text.slice(1), at };
    if (kind === 'word' && (text === 'true' || text === 'false')) return { kind: 'literal', value: text === 'true', at };
    if (kind === 'word') return { kind: 'call', name: text, at };
    if (text !== '(') throw new TemplateError(at, `unexpected ${JSON.stringify(text)}`);
    this.#depth += 1;
    if (this.#depth > MOST_PARENTHESES) throw new TemplateError(at, 'too many parentheses within each other');
    const pipeline = this.#pipeline();
    if (this.#tokens[this.#next]?.text !== ')') throw new TemplateError(at, 'unclosed left parenthesis');
    this.#next++;
    this.#depth -= 1;
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

import { type Pipeline, readPipeline } from './template-pipeline.ts';
import { type GoTemplatePart, goTemplateParts, TemplateError, type Token } from './template-tokens.ts';

/** A value inside a template: a text, a number, a boolean, or the map `variables`. */
export type TemplateValue = string | number | boolean | Readonly<Record<string, string>>;

export type TemplateNode =
  | { kind: 'text'; text: string }
  | { kind: 'output'; pipeline: Pipeline }
  | { kind: 'assign'; variable: string; declares: boolean; pipeline: Pipeline; at: number }
  | Branch
  | { kind: 'leave'; how: 'break' | 'continue' };

/** `if`, `with` and `range`; `variables` are declared by its head. */
export interface Branch {
  kind: 'if' | 'with' | 'range';
  variables: readonly string[];
  pipeline: Pipeline;
  body: readonly TemplateNode[];
  otherwise: readonly TemplateNode[];
  at: number;
}

const UNSUPPORTED = ['define', 'template', 'block', 'call'];
const MOST_NESTED = 50;

/** The nodes of a template in Go's text/template language, without templates within templates. Throws TemplateError. */
export function parseTemplate(text: string): TemplateNode[] {
  return new Blocks(goTemplateParts(text)).all();
}

type ActionPart = Extract<GoTemplatePart, { kind: 'action' }>;

class Blocks {
  readonly #parts: readonly GoTemplatePart[];
  #next = 0;
  #open: string[] = [];

  constructor(parts: readonly GoTemplatePart[]) {
    this.#parts = parts;
  }

  all(): TemplateNode[] {
    const { nodes, end } = this.#list();
    if (end) throw new TemplateError(end.tokens[0]?.at ?? end.at, `unexpected {{ ${end.tokens[0]?.text} }}: no if, with or range is open`);
    return nodes;
  }

  /** Parses up to the `else` or `end` that no nested block has opened. */
  #list(): { nodes: TemplateNode[]; end: ActionPart | undefined } {
    const nodes: TemplateNode[] = [];
    for (let part = this.#parts[this.#next]; part; part = this.#parts[this.#next]) {
      this.#next += 1;
      if (part.kind === 'text') nodes.push(part);
      else if (['else', 'end'].includes(keyword(part))) return { nodes, end: part };
      else nodes.push(this.#node(part));
    }
    return { nodes, end: undefined };
  }

  #node({ tokens, at }: ActionPart): TemplateNode {
    const [first, second, ...rest] = tokens;
    if (!first) throw new TemplateError(at, 'missing value for command');
    const word = keyword({ tokens });
    if (UNSUPPORTED.includes(word)) throw new TemplateError(first.at, `{{ ${word} }} is not supported in queries`);
    if (word === 'if' || word === 'with' || word === 'range') return this.#branch(word, tokens.slice(1), first.at);
    if (word === 'break' || word === 'continue') {
      if (!this.#open.includes('range')) throw new TemplateError(first.at, `{{ ${word} }} is outside of a range`);
      return { kind: 'leave', how: word };
    }
    if (first.kind === 'variable' && second?.kind === 'assign')
      return { kind: 'assign', variable: first.text, declares: second.text === ':=', pipeline: readPipeline(rest, at), at: first.at };
    return { kind: 'output', pipeline: readPipeline(tokens, at) };
  }

  #branch(kind: Branch['kind'], head: readonly Token[], at: number): Branch {
    if (this.#open.length >= MOST_NESTED) throw new TemplateError(at, 'too many blocks within each other');
    this.#open.push(kind);
    const { variables, rest } = declared(head, kind);
    const pipeline = readPipeline(rest, at);
    const { nodes: body, end } = this.#list();
    if (!end) throw new TemplateError(at, `{{ ${kind} }} without {{ end }}`);
    const otherwise = keyword(end) === 'else' ? this.#otherwise(end, at) : [];
    this.#open.pop();
    return { kind, variables, pipeline, body, otherwise, at };
  }

  #otherwise({ tokens: [word, next, ...rest] }: ActionPart, at: number): TemplateNode[] {
    // `else if` has its own end, which is that of the whole block.
    if (next?.kind === 'word' && (next.text === 'if' || next.text === 'with')) return [this.#branch(next.text, rest, next.at)];
    if (next) throw new TemplateError(next.at, `unexpected ${JSON.stringify(next.text)} after else`);
    const { nodes, end } = this.#list();
    if (!end || keyword(end) === 'else') throw new TemplateError(word?.at ?? at, '{{ else }} without {{ end }}');
    return nodes;
  }
}

function declared(head: readonly Token[], kind: Branch['kind']): { variables: string[]; rest: readonly Token[] } {
  const assign = head.findIndex(({ text }) => text === ':=');
  if (assign < 0) return { variables: [], rest: head };
  const names = head.slice(0, assign).filter(({ text }) => text !== ',');
  const wrong = names.find((token) => token.kind !== 'variable') ?? (names.length > (kind === 'range' ? 2 : 1) ? names.at(-1) : undefined);
  if (wrong) throw new TemplateError(wrong.at, `unexpected ${JSON.stringify(wrong.text)} in the head of ${kind}`);
  return { variables: names.map(({ text }) => text), rest: head.slice(assign + 1) };
}

function keyword({ tokens: [first] }: Pick<ActionPart, 'tokens'>): string {
  return first?.kind === 'word' ? first.text : '';
}

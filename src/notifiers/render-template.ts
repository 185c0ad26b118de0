import mustache from 'mustache';

/** Part of a template: its kind (`text`, `name`, `&`, `#`, `^`, `>`, `!`, `=`), its word, and of a section what it holds. */
export interface MustachePart {
  kind: string;
  word: string;
  inner: readonly MustachePart[];
}

/** The parts of a template in Mustache's language. Throws for a tag or section that has no end. */
export function mustacheParts(template: string): MustachePart[] {
  return (new mustache.Writer().parse(template) as readonly Span[]).map(partOf);
}

/** The filled template. Nothing is escaped: each receiver does that in its own way. */
export function fillTemplate(template: string, variables: object): string {
  return new mustache.Writer().render(template, variables, {}, { escape: String });
}

type Span = readonly [kind: string, word: string, from: number, to: number, inner?: readonly Span[] | string, ...rest: unknown[]];

function partOf([kind, word, , , inner]: Span): MustachePart {
  return { kind, word, inner: typeof inner === 'object' ? inner.map(partOf) : [] };
}

/** A mistake in a template, at an offset into its text. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

export interface Token {
  kind: string;
  text: string;
  at: number;
  /** White space precedes it; `a.b` is a field of `a`, `a .b` is two operands. */
  spaced: boolean;
}

/** Text between two actions, or one of the actions. */
export type GoTemplatePart = { kind: 'text'; text: string } | { kind: 'action'; tokens: readonly Token[]; at: number };

const TOKEN =
  /\s*(?:(?<string>"(?:[^"\\\n]|\\.)*")|(?<raw>`[^`]*`)|(?<number>[+-]?\d+(?:\.\d+)?)|(?<assign>:?=)|(?<variable>\$\w*)|(?<field>\.\w+)|(?<dot>\.)|(?<word>[A-Za-z_]\w*)|(?<mark>[|(),]))/y;

/** The parts of a template, comments left out and white space trimmed where `{{-` and `-}}` want it. Throws TemplateError. */
export function goTemplateParts(text: string): GoTemplatePart[] {
  const parts: GoTemplatePart[] = [];
  let from = 0;
  let trimNext = false;
  const pushText = (raw: string, trimEnd: boolean) => {
    let kept = trimNext ? raw.trimStart() : raw;
    if (trimEnd) kept = kept.trimEnd();
    if (kept !== '') parts.push({ kind: 'text', text: kept });
  };
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const close = text.indexOf('}}', open + 2);
    if (close === -1) throw new TemplateError(open, 'unclosed action: "{{" without "}}"');
    const inner = text.slice(open + 2, close);
    const trimsBefore = /^-\s/.test(inner);
    const trimsAfter = /\s-$/.test(inner.slice(trimsBefore ? 1 : 0));
    pushText(text.slice(from, open), trimsBefore);
    trimNext = trimsAfter;
    from = close + 2;
    const start = open + 2 + (trimsBefore ? 1 : 0);
    const body = text.slice(start, close - (trimsAfter ? 1 : 0));
    if (isComment(body.trim())) continue;
    parts.push({ kind: 'action', tokens: tokensOf(text, start, body), at: start });
  }
  pushText(text.slice(from), false);
  return parts;
}

const isComment = (body: string): boolean => body.length >= 4 && body.startsWith('/*') && body.endsWith('*/');

function tokensOf(text: string, start: number, body: string): Token[] {
  const tokens: Token[] = [];
  const end = start + body.trimEnd().length;
  TOKEN.lastIndex = start;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match || TOKEN.lastIndex > end)
      throw new TemplateError(from, `unexpected ${JSON.stringify(text.slice(from, end).trim().slice(0, 20))}`);
    const [kind, token] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) as [string, string];
    tokens.push({ kind, text: token, at: TOKEN.lastIndex - token.length, spaced: TOKEN.lastIndex - token.length > from });
  }
  return tokens;
}

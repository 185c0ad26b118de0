/** A part of a query: a quoted text with its quotes, or the text between two of them. */
export interface Piece {
  text: string;
  isQuoted: boolean;
}

/**
 * The pieces of a query, in order. A quote that is never closed is an ordinary character. Each kind of quote is searched once in any part of the text: if one
 * stays open, so do all of its kind behind it, up to the end of that search.
 */
export function quotedPieces(query: string): Piece[] {
  const pieces: Piece[] = [];
  const openUntil = new Map<string, number>();
  let start = 0;
  for (let at = 0; at < query.length; ) {
    const quote = query.charAt(at);
    if (!isQuote(quote) || at < (openUntil.get(quote) ?? 0)) {
      at += 1;
      continue;
    }
    const end = closing(query, at, quote);
    if (query.charAt(end) !== quote) {
      openUntil.set(quote, end);
      at += 1;
      continue;
    }
    pieces.push({ text: query.slice(start, at), isQuoted: false }, { text: query.slice(at, end + 1), isQuoted: true });
    at = end + 1;
    start = at;
  }
  return [...pieces, { text: query.slice(start), isQuoted: false }];
}

const isQuote = (character: string): boolean => character === '"' || character === "'" || character === '`';

const LINE_END = /[\n\r\u2028\u2029]/;

/** Index of the closing quote, or of the place after which none can follow: the end, or a backslash before the end of a line. */
function closing(query: string, open: number, quote: string): number {
  let at = open + 1;
  while (at < query.length && query.charAt(at) !== quote) {
    if (quote === '`' || query.charAt(at) !== '\\') at += 1;
    else if (LINE_END.test(query.charAt(at + 1))) return at;
    else at += 2;
  }
  return Math.min(at, query.length);
}

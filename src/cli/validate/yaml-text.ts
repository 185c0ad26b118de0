import { Composer, type CST, type Document, Lexer, LineCounter, type ParsedNode, Parser } from 'yaml';
import { MOST, type Spent } from './limits.ts';

/** A fault of a text, with the offset where it is seen. */
export interface TextFault {
  offset: number;
  message: string;
}

/** The documents of a text, up to the limit that it exceeds. */
export interface YamlText {
  documents: readonly Document.Parsed<ParsedNode>[];
  lineAt(offset: number): number;
  exceeded?: TextFault;
}

/**
 * Own checks for duplicate keys, and messages without a picture of the place: those of the library take time with the square of a map, and with the number of
 * errors times the length of the text.
 */
const LINEAR = { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;

/** Parses a text word by word, so that a limit ends it before memory does. */
export function yamlText(text: string, spent: Spent): YamlText {
  const lines = new LineCounter();
  // The same as Parser.parse.
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const documents: Document.Parsed<ParsedNode>[] = [];
  let exceeded: TextFault | undefined;
  const composer = new Composer<ParsedNode>(LINEAR);
  // A stack for each of a million faults takes longer than all the rest.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (const document of composer.compose(tokens(), false, text.length)) {
      if (documents.length === MOST.documents) {
        exceeded = { offset: document.range[0], message: tooMany('documents', MOST.documents, 'split the file') };
        break;
      }
      documents.push(document);
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return {
    documents,
    lineAt: (offset) => Math.max(1, lines.linePos(offset).line),
    ...(exceeded && { exceeded }),
  };

  function* tokens(): Generator<CST.Token> {
    const counted = new WordCount(spent);
    for (const word of new Lexer().lex(text)) {
      const message = counted.add(word);
      if (message !== undefined) {
        exceeded = { offset: parser.offset, message };
        return;
      }
      yield* parser.next(word);
    }
    yield* parser.end();
  }
}

class WordCount {
  readonly #spent: Spent;
  #words = 0;
  #anchors = 0;
  #aliases = 0;

  constructor(spent: Spent) {
    this.#spent = spent;
  }

  /** The limit that this word exceeds. */
  add(word: string): string | undefined {
    this.#words += 1;
    this.#spent.words += 1;
    if (word.startsWith('&')) this.#anchors += 1;
    if (word.startsWith('*')) this.#aliases += 1;
    if (this.#anchors > MOST.anchors) return tooMany('anchors', MOST.anchors, 'write the values themselves');
    if (this.#aliases > MOST.anchors) return tooMany('aliases', MOST.anchors, 'write the values themselves');
    if (this.#words > MOST.words) return tooMany('keys, values and marks', MOST.words, 'split the file');
    if (this.#spent.words > MOST.wordsOfRun)
      return `the files of this run have more than ${MOST.wordsOfRun} keys, values and marks together: check fewer at a time`;
    return undefined;
  }
}

const tooMany = (what: string, most: number, remedy: string): string =>
  `has more than ${most} ${what}; the rest of the file is not read: ${remedy}`;

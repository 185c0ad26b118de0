import type { Tree } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

const strict = parser.configure({ strict: true });

/**
 * The tree of a PromQL text, or the place of its first mistake. Ends there: recovery from errors keeps many readings of a hostile text side by
 * side, and takes hundreds of thousands of steps for 33 characters.
 */
export function syntaxTree(text: string): Tree | { mistakeAt: number } {
  const parse = strict.startParse(text);
  try {
    for (;;) {
      const tree = parse.advance();
      if (tree) return tree;
    }
  } catch (error) {
    if (error instanceof SyntaxError) return { mistakeAt: parse.parsedPos };
    throw error;
  }
}

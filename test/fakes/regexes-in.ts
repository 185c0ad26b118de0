import { parseSync, Visitor } from 'vite';

interface Literal {
  line: number;
  source: string;
  flags: string;
}

/** The regular expressions written in a TypeScript file, and whether it makes others at run time. */
export function regexesIn(text: string): { literals: Literal[]; made: boolean } {
  const literals: Literal[] = [];
  let made = false;
  const isRegExp = (callee: { type: string }) => 'name' in callee && callee.name === 'RegExp';
  const visitor = new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      literals.push({ line: text.slice(0, node.start).split('\n').length, source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: ({ callee }) => {
      made ||= isRegExp(callee);
    },
    CallExpression: ({ callee }) => {
      made ||= isRegExp(callee);
    },
  });
  visitor.visit(parseSync('source.ts', text).program);
  return { literals, made };
}

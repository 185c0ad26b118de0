import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PATTERNS, languageProblems as problems } from './fakes/plain-language.ts';
import { eachBelow, proseBelow, proseIn } from './fakes/prose.ts';
import { stringsIn } from './fakes/strings-in.ts';

const root = join(import.meta.dirname, '..');
const CLEAN: readonly string[] = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'charts',
  'docs',
  'kustomize/README.md',
  'scripts',
  ...readdirSync(join(root, 'src')).map((room) => `src/${room}`),
  'test/application',
  'test/appliers',
  'test/attacks',
  'test/bench',
  'test/contracts',
  'test/differential',
  'test/e2e',
  'test/fakes',
  'test/fixtures',
  'test/integration',
  'test/long',
  'test/mistakes',
  'test/node',
  'test/planes',
  'test/scenarios',
  'test/study',
];

/** Code whose strings users and contributors read. */
const SPEAKING = ['scripts', ...readdirSync(join(root, 'src')).map((room) => `src/${room}`)];
/** Tests, and code that answers with the words of Kubernetes. */
const OTHERS_WORDS = /\.test\.tsx?$|^src\/embedded\/apiserver\//;

describe('plain language', () => {
  it.each(CLEAN)('each sentence in %s has its subject first and no pattern of PATTERNS', (part) => {
    const prose = proseBelow(root, part);
    expect(prose).not.toEqual([]);
    expect(problems(prose)).toEqual([]);
  });

  it.each(SPEAKING)('each message, help text and description in %s has its subject first and no pattern of PATTERNS', (part) => {
    const strings = eachBelow(root, part, /\.tsx?$/, stringsIn).filter(({ file }) => !OTHERS_WORDS.test(file));
    expect(problems(strings)).toEqual([]);
  });

  it('strings of several words are found with their lines, and values in them are left out', () => {
    const code = `const why = 'short';\n// a comment of four words\nthrow new Error(\`\${name} stands\\n there in \${place}, too\`);\n`;
    const inLines = stringsIn(code, 'a.ts').map(({ line, kind, text }) => `${line} ${kind} ${text}`);
    expect(inLines).toEqual(['3 string … stands there in …, too']);
    expect(problems(stringsIn("say('now the backend is asked');", 'a.ts'))).toEqual([
      expect.stringContaining('a.ts:1: "ask" of programs in a string: write '),
    ]);
  });

  it.each(Object.entries(PATTERNS))('%s is found, and the sentence to write instead is not', (name, { example: [bad, good] }) => {
    expect(problems(proseIn(`// ${bad}\n`, 'a.ts'))).toEqual([expect.stringContaining(`a.ts:1: ${name} in a comment: write `)]);
    expect(problems(proseIn(`// ${good}\n`, 'a.ts'))).toEqual([]);
  });

  it('comments, titles and sentences are found with their lines', () => {
    const code = "/**\n * A port.\n * Two.\n */\nconst a = 'http://x'; // Why\nit.each([1])('%s is open', () => 1);\n";
    const page = '# Title\n\nOne `a.b` line\ngoes on. Two?\n\n```\ncode\n```\n- a list\n- of two\n\n| a cell | another |\n';
    expect(proseIn(code, 'a.ts').map(({ line, kind, text }) => `${line} ${kind} ${text}`)).toEqual([
      '1 comment A port. Two.',
      '5 comment Why',
      '6 title %s is open',
    ]);
    expect(proseIn(page, 'a.md').map(({ line, text }) => `${line} ${text}`)).toEqual([
      '3 One `a.b` line goes on.',
      '4 Two?',
      '9 a list',
      '10 of two',
      '12 a cell |',
      '12 another |',
    ]);
  });
});

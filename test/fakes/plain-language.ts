import type { Prose } from './prose.ts';

interface Pattern {
  found: RegExp;
  write: string;
  /** A sentence that it finds, and a sentence that it accepts. */
  example: readonly [bad: string, good: string];
}

/** Sentence patterns that a reader has to read twice, for comments, titles of tests and pages. Single words are in glossary.test.ts. */
export const PATTERNS: Record<string, Pattern> = {
  'a sentence that begins with a question word': {
    found: /(?:^|[.:] |\*\* )(?:What|Why|Whatever|Whether|How|Of what|By what|With what|From what) (?![^.?]*\?)/,
    write: 'the noun first, or a verb',
    example: ['What a Secret holds.', 'Content of a Secret. How many are left?'],
  },
  'a space before a percent sign': {
    found: /[\d…] %(?![a-z(])/i,
    write: '20%',
    example: ['20 % of the traffic', '20% of the traffic'],
  },
  '"one" without its noun': {
    found: /\b(?:an?|the)? ?ones? (?:that|which|who|whose|with|without)\b|\b(?:those|that) (?:that|which|who)\b/i,
    write: 'name the noun: a Service that …',
    example: ['one that is found', 'a Service that is found'],
  },
  'telegraph style': {
    found: /(?<!\b(?:is|are|be|not) )(?:\b|`)(?:undefined|absent|null|none|empty|true|false)`?: (?=[a-z])/i,
    write: '`undefined` if …',
    example: ['The port; undefined: it cannot be opened.', 'The port, `undefined` if it cannot be opened. It is empty: name it.'],
  },
  '"ask" of programs': {
    found:
      /(?<!\$)\bask(?:s|ed|ing)?\b(?!-for)(?! (?:your|the (?:user|operator|owner|team|administrator|author)|you|for a word|a person))/i,
    write: 'call (a hook), run (a query), request (an object), need, require',
    example: ['the backend is asked', 'the backend is queried: ask the administrator'],
  },
  '"may" for "can"': {
    found:
      /\bmay (?:not )?(?:be|have|hold|come|fail|take|still|well|differ|lack|end|answer|begin|contain|miss|stay|make|never|already|mean|change|need|go|also|stand)\b/,
    write: 'can, could; may is for permission',
    example: ['it may hold the token', 'it can hold the token; a user may read it'],
  },
  '"as it is"': {
    found: /\bas (?:it|they|he) (?:is|are|came|come|comes|was|were|stands?|stood)\b/,
    write: 'unmodified, as stored, or the exact word',
    example: ['returned as it came', 'returned unmodified'],
  },
  '"stands"': {
    found: /\b(?:stands?|stood)\b(?! aside)/,
    write: 'is, exists, follows, is listed',
    example: ['each rule stands once', 'each rule is listed once'],
  },
  '"is there"': {
    found: /\b(?:is|are|was|were|be) (?:not |still |already )?there\b(?! (?:is|are|any|no)\b)|\bthere (?:is|are) none\b/,
    write: 'exists, is found, does not exist',
    example: ['if the Service is there', 'if the Service exists'],
  },
  '"alone", "whatever", "anew"': {
    found: /(?<!\bleaves? (?:\w+ )?|\bleft )\balone\b|\b(?:whatever|anew)\b/i,
    write: 'only; any, whichever; again',
    example: ['by its name alone', 'only by its name'],
  },
  'a postposed "before"': {
    found:
      /\bthe (?:\w+ )?(?:spec|version|release|state|time|one|line|run|value|sentence|step|check|pass|look) before(?:[.,;:)]|$| this one)/,
    write: 'the previous …',
    example: ['the spec before this one', 'by the previous spec, before the release'],
  },
  '"goes by"': {
    found: /\b(?:go|goes|going|went|gone) by\b(?! itself)/,
    write: 'follows, is decided by',
    example: ['a release goes by its spec', 'a release follows its spec'],
  },
  'a postposed "too"': {
    found: /, too\b/,
    write: 'also, before the verb',
    example: ['it is written, too', 'it is also written'],
  },
};

const shown = ({ file, line, kind, text }: Prose, name: string): string =>
  `${file}:${line}: ${name} in a ${kind}: write ${PATTERNS[name]?.write}: ${text}`;

/** Sentences with a pattern, each with its place and the words to write. */
export const languageProblems = (prose: readonly Prose[]): string[] =>
  prose.flatMap((one) =>
    Object.entries(PATTERNS).flatMap(([name, { found }]) => (found.test(withoutNames(one.text)) ? [shown(one, name)] : [])),
  );

/** A path, a call or a field in backticks, and the target of a link, are names, whose words are not ours to choose. */
const withoutNames = (text: string): string => text.replace(/`[^`]*[/.(][^`]*`|\]\([^)]*\)/g, '``');

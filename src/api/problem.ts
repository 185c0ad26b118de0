import type { z } from 'zod';
import { fieldPath, shorten } from '../base/field-path.ts';
import { valueAt } from '../base/json.ts';

/** Reason for which an object cannot be read. */
export interface Problem {
  /** The field, as `spec.analysis.metrics[0].interval`. */
  path: string;
  /** The mistake and its remedy, in words that can follow the path. */
  message: string;
}

/** Maximum of reported problems: a hostile object can be wrong in a million places. */
const mostProblems = 50;

/** First words of zod's own message about a type, if the schema has none. */
const ZODS_OWN = 'Invalid input';

/** zod's issues in Serin's words. Values are looked up in `input`, and shown only in part. */
export function problemsOf(error: z.ZodError, input: unknown): Problem[] {
  return error.issues.slice(0, mostProblems).map((issue) => ({
    path: fieldPath(issue.path),
    message: explain(issue, valueAt(input, issue.path)),
  }));
}

function explain(issue: z.core.$ZodIssue, value: unknown): string {
  const found = value === undefined ? 'is missing' : `is ${typed(value)}`;
  switch (issue.code) {
    case 'invalid_type':
      if (value !== undefined && !issue.message.startsWith(ZODS_OWN)) return `${found}: ${issue.message}`;
      if (value === undefined && issue.path.at(-1) === 'url') return `${found}: write the http or https address that gets the call`;
      return value === undefined ? `is missing: set it to ${wanted(issue.expected)}` : `${found}: it must be ${wanted(issue.expected)}`;
    case 'invalid_value':
      return `${found}: it must be one of ${issue.values.map((each) => (each === '' ? '""' : String(each))).join(', ')}`;
    case 'too_small':
    case 'too_big':
      return `${found}: ${bound(issue)}`;
    case 'custom':
    case 'invalid_format':
      // The schema states the purpose of its pattern.
      return `${found}: ${issue.message}`;
    case 'invalid_union':
      return typeof value === 'object' && value !== null
        ? 'must have exactly one of exact, prefix, suffix and regex, with a text: write each condition as an entry of its own'
        : `${found}: it must be ${issue.path.at(-1) === 'targetPort' ? 'a port number or the name of a port' : 'an object with one of exact, prefix, suffix, regex'}`;
    default:
      return `${found}, which is not accepted here: see the documentation of this field`;
  }
}

function bound(issue: Extract<z.core.$ZodIssue, { code: 'too_small' | 'too_big' }>): string {
  const limit = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  const unit =
    issue.origin === 'string' ? ' characters long' : issue.origin === 'array' || issue.origin === 'object' ? ' entries long' : '';
  return `it must be ${limit}${unit}`;
}

function typed(value: unknown): string {
  if (typeof value === 'string') return `the text ${shorten(value)}`;
  return typeof value === 'number' ? `the number ${shorten(value)}` : shorten(value);
}

const wantedWords: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text (in quotes, if it looks like a number)',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'a map from names to values',
};

function wanted(expected: string): string {
  return wantedWords[expected] ?? expected;
}

import { LONGEST_NAME } from '../../api/verb-request.ts';

/** A user as the API server knows one; nothing here is a secret. */
export interface User {
  name: string;
  uid?: string | undefined;
  groups: readonly string[];
  /** Further attributes that an authorizer can require. */
  extra: Readonly<Record<string, readonly string[]>>;
}

/** Groups and extra of one user, as JSON: sessions are kept in memory, and each review sends them. */
const MOST_CHARACTERS = 64 * 1024;
// Names are written into annotations, logs and events, a line each.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Reason for which no session is opened for this user, `undefined` if it can be opened. */
export function userProblem({ name, uid = '', groups, extra }: User): string | undefined {
  if (name === '') return 'the user has no name';
  if (name.length > LONGEST_NAME) return `the user name is longer than ${LONGEST_NAME} characters`;
  if (UNPRINTABLE.test(name) || name.trim() !== name) return 'the user name has control characters, or spaces at an end';
  if (JSON.stringify([uid, groups, extra]).length > MOST_CHARACTERS) return 'the user has too many groups';
  return undefined;
}

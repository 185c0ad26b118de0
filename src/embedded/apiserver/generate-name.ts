import { randomBytes } from 'node:crypto';

// Without vowels and what looks like them: no words by chance. Kubernetes' own alphabet and length.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const longestPrefix = 58;

export const generatedName = (prefix: string): string =>
  `${prefix.slice(0, longestPrefix)}${[...randomBytes(5)].map((byte) => alphabet[byte % alphabet.length]).join('')}`;

// Without vowels and similar digits: no words by chance. Kubernetes' own alphabet and length.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const longestPrefix = 58;

export const generatedName = (prefix: string, random: () => number): string =>
  `${prefix.slice(0, longestPrefix)}${Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')}`;

/** A UUID of version 4. */
export function randomUid(random: () => number): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place) => {
    const digit = Math.floor(random() * 16);
    return (place === 'x' ? digit : (digit & 3) | 8).toString(16);
  });
}

/** Options of curl that take a value, by the name that they are known as here. */
export const VALUED = byName(
  {
    ...{ d: 'data', H: 'header', X: 'request', o: 'output', w: 'write-out', m: 'max-time', u: 'user' },
    ...{ A: 'user-agent', e: 'referer', b: 'cookie' },
  },
  [
    ...['data-ascii', 'data-raw', 'data-binary', 'data-urlencode', 'json', 'connect-timeout', 'url'],
    ...['retry', 'retry-delay', 'retry-max-time', 'max-redirs'],
  ],
);
/** Options without a value. */
export const VALUELESS_OPTIONS = byName(
  {
    ...{ s: 'silent', S: 'show-error', f: 'fail', k: 'insecure', L: 'location', i: 'include', I: 'head', G: 'get' },
    ...{ v: 'verbose', N: 'no-buffer', '4': 'ipv4', '6': 'ipv6' },
  },
  [...['fail-with-body', 'compressed', 'http1.1', 'no-progress-meter', 'retry-connrefused', 'retry-all-errors'], ...['globoff', 'tlsv1.2']],
);

/** Maps each letter to its long name, and each long name to itself. */
function byName(letters: Readonly<Record<string, string>>, others: readonly string[]): Readonly<Record<string, string>> {
  return { ...letters, ...Object.fromEntries([...Object.values(letters), ...others].map((name) => [name, name])) };
}

export interface CurlWords {
  /** By long names, in the order in which they were written. */
  options: readonly (readonly [string, string])[];
  addresses: readonly string[];
}

/** Reads words as curl does: `-sd text`, `-dtext`, `--data text`; addresses are taken at any position. */
export function curlWords(words: readonly string[]): CurlWords | { problem: string } {
  const options: [string, string][] = [];
  const addresses: string[] = [];
  let onlyAddresses = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (onlyAddresses || !/^-./.test(word)) {
      addresses.push(word);
      continue;
    }
    if (word === '--') {
      onlyAddresses = true;
      continue;
    }
    const asked = word.startsWith('--') ? [word.slice(2)] : Array.from(word.slice(1));
    for (const [index, name] of asked.entries()) {
      const isLong = word.startsWith('--');
      // `-s` is an option, `--s` is not.
      const known = isLong && name.length === 1 ? '' : name;
      const plain = own(VALUELESS_OPTIONS, known);
      if (plain !== undefined) {
        options.push([plain, 'true']);
        continue;
      }
      const valued = own(VALUED, known);
      const shown = isLong ? word : `-${name}`;
      if (valued === undefined) return { problem: `curl: its option ${shown.slice(0, 30)} is unknown here` };
      const rest = asked.slice(index + 1).join('');
      if (rest === '') at += 1;
      const value = rest === '' ? words[at] : rest;
      if (value === undefined) return { problem: `curl: its option ${shown} lacks a value` };
      if (valued === 'url') addresses.push(value);
      else options.push([valued, value]);
      break;
    }
  }
  return { options, addresses };
}

function own(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

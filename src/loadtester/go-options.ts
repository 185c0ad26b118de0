/** Reads options as Go's flag package does: `-x v`, `-x=v`, `--x v`; they end at the first other word. */
export function goOptions(
  words: readonly string[],
  takesValue: Readonly<Record<string, boolean>>,
): { options: readonly (readonly [string, string])[]; rest: readonly string[] } | { problem: string } {
  const options: [string, string][] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return { options, rest: words.slice(at + 1) };
    const [, name = '', , inline] = /^--?([^-=][^=]*)(=([\s\S]*))?$/.exec(word) ?? [];
    if (name === '') return { options, rest: words.slice(at) };
    if (!Object.hasOwn(takesValue, name)) return { problem: `its option -${name.slice(0, 30)} is unknown here` };
    if (inline !== undefined || !takesValue[name]) {
      options.push([name, inline ?? 'true']);
      continue;
    }
    at += 1;
    const value = words[at];
    if (value === undefined) return { problem: `its option -${name} lacks a value` };
    options.push([name, value]);
  }
  return { options, rest: [] };
}

import { InvalidArgumentError, Option } from 'commander';

/** Go's flag package takes `-mesh-provider=istio` where everybody else takes two dashes: both are accepted (reference 02 §1.1). */
export function withTwoDashes(argv: readonly string[]): string[] {
  return argv.map((word) => (/^-[a-z][a-z-]+(=|$)/.test(word) ? `-${word}` : word));
}

/** What Go's flag package takes for a boolean (strconv.ParseBool). */
const BOOLEANS: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
]);

/** A boolean flag as Go reads it: `--x` is on, and `--x=true`, `--x=false` say it in words, as the manifests of users do. */
export function switchOption(name: string, help: string, otherwise: boolean): Option {
  const option = new Option(`${name} [boolean]`, help)
    .preset('true')
    .default(otherwise)
    .argParser((word: string) => {
      const value = BOOLEANS[word];
      if (value === undefined) throw new InvalidArgumentError('Set it to true or false.');
      return value;
    });
  // A name that begins with `no-` is no negation of another.
  const attribute = name.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.assign(option, { attributeName: () => attribute });
}

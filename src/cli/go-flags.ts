import { InvalidArgumentError, Option } from 'commander';

/** Commands whose flags can begin with one dash, as in the manifests of users; for the others `-ojson` is `-o json`. */
export const LIKE_GO: ReadonlySet<string> = new Set(['controller', 'loadtester']);

/** Go's flag package takes `-mesh-provider=istio` where everybody else takes two dashes: both are accepted. */
export function withTwoDashes(argv: readonly string[]): string[] {
  return argv.map((word) => (/^-[a-z][a-z_-]+(=|$)/.test(word) ? `-${word}` : word));
}

/** Booleans as Go's flag package reads them (strconv.ParseBool). */
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
  // A name that begins with `no-` does not negate another flag.
  const attribute = name.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.assign(option, { attributeName: () => attribute });
}

/** Levels that are logged here, the least first. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
/** Other spellings: Flagger's help names `warning`, and its logger knows `panic`. */
const SPELT_OTHERWISE: Readonly<Record<string, (typeof logLevels)[number]>> = { warning: 'warn', panic: 'fatal' };

/** The flag --log-level. */
export function logLevelOption(): Option {
  return new Option('--log-level <level>', `lowest level to log (choices: ${logLevels.join(', ')})`)
    .default('info')
    .argParser((word: string) => {
      const level = SPELT_OTHERWISE[word] ?? logLevels.find((known) => known === word);
      if (level === undefined) throw new InvalidArgumentError(`Set it to one of ${logLevels.join(', ')}.`);
      return level;
    });
}

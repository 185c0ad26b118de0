/** The flags of one command that changes the traffic of a Knative Service, unmodified. */
export interface TrafficFlags {
  traffic?: readonly string[];
  tag?: readonly string[];
  untag?: readonly string[];
}

/** The same, read. */
export interface TrafficRequest {
  untags: readonly string[];
  tags: readonly { revision: string; tag: string }[];
  shares: readonly { name: string; percent: number }[];
}

/** The revision that is the latest ready one, whichever that is. */
export const LATEST = '@latest';

/** A flag that cannot be meant, or that this Service cannot follow; the message names the flag and the value. */
export class TrafficFlagError extends Error {
  override readonly name = 'TrafficFlagError';
}

/** Values apart at commas count as flags of their own. Throws `TrafficFlagError`. */
export function readTrafficFlags({ traffic = [], tag = [], untag = [] }: TrafficFlags): TrafficRequest {
  const untags = [...new Set(valuesOf(untag))];
  const tags = valuesOf(tag).map((value) => {
    const [revision, name] = pairOf('--tag', value, 'REVISION=TAG');
    return { revision, tag: name };
  });
  const shares = valuesOf(traffic).map((value) => {
    const [name, percent] = pairOf('--traffic', value, 'REVISION=PERCENT or TAG=PERCENT');
    return { name, percent: percentOf(value, percent) };
  });
  refuseSecond(
    '--tag',
    tags.flatMap(({ revision }) => (revision === LATEST ? [revision] : [])),
  );
  refuseSecond(
    '--traffic',
    shares.map(({ name }) => name),
  );
  const sum = sumOf(shares);
  if (sum !== 100 && !isOnlyTaking(shares)) throw wrongSum(sum);
  return { untags, tags, shares };
}

/** Entries without a percentage count as 0. */
export function sumOf(shares: readonly { percent?: number }[]): number {
  return shares.reduce((total, { percent = 0 }) => total + percent, 0);
}

/** Only `--traffic v1=0`, an example of the documentation: it takes away a share of nothing, and the rest is checked afterwards. */
export function isOnlyTaking(shares: readonly { percent: number }[]): boolean {
  return shares.every(({ percent }) => percent === 0);
}

export function wrongSum(sum: number): TrafficFlagError {
  return new TrafficFlagError(`--traffic: the percentages of all flags of a command must sum to 100, and these sum to ${sum}`);
}

function valuesOf(flags: readonly string[]): string[] {
  return flags.flatMap((flag) => flag.split(',').filter((value) => value !== ''));
}

function pairOf(flag: string, value: string, form: string): [string, string] {
  const [left, right, ...more] = value.split('=');
  if (left && right && more.length === 0) return [left, right];
  throw new TrafficFlagError(`${flag} ${value}: write it as ${form}`);
}

function percentOf(value: string, text: string): number {
  const percent = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (percent <= 100) return percent;
  throw new TrafficFlagError(`--traffic ${value}: ${text} is not a whole number from 0 to 100`);
}

function refuseSecond(flag: string, names: readonly string[]): void {
  const second = names.find((name, index) => names.indexOf(name) !== index);
  if (second === undefined) return;
  const remedy = second === LATEST ? '' : ': a revision that is to appear twice is named by its tags';
  throw new TrafficFlagError(`${flag} ${second}: can be given only once in a command${remedy}`);
}

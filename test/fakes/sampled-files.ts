import { createHash } from 'node:crypto';
import { type Part, partOf } from './covering-part.ts';

/**
 * Files of test/integration that play many more cases of what other files play once, most of them again in `test:e2e`. `npm test` runs one in
 * four of them, others with each `PART_SEED`; `PART_ONE_IN=1` and `test:long` (`sampled-files`) run all.
 */
export const SAMPLED = [
  'black-hole',
  'compared-disturbances',
  'conduct',
  'config-costs',
  'configs',
  'crash-loops',
  'demo',
  'failover',
  'faulty-releases',
  'gateway-api',
  'ingresses',
  'istio-routes',
  'killed-processes',
  'kinds',
  'loadtester',
  'people',
  'provider-releases',
  'rehearsal',
  'rehearse-command',
  'rehearse-live',
  'rehearse-strategies',
  'reinstall',
  'rollouts',
  'shards',
  'shares',
  'slow-api',
  'stalls',
  'takeovers',
  'unchecked-promotion',
  'uninstall',
  'virtual-time',
];

const pathOf = (name: string): string => `test/integration/${name}.test.ts`;

/** Order by the seed, so that the parts that a file leaves out by the seed do not depend on whether it is run. */
const placeOf = (name: string, seed: number): string => createHash('sha256').update(`${seed} ${name}`).digest('hex');

/** Paths of those files that are left out; a file is never left out where an argument of vitest names it. */
export function leftOut(args: readonly string[], { oneIn, seed }: Part = partOf(4)): string[] {
  const inOrder = SAMPLED.toSorted((a, b) => (placeOf(a, seed) < placeOf(b, seed) ? -1 : 1));
  const isAsked = (name: string): boolean => args.some((arg) => !arg.startsWith('-') && arg.includes(name));
  return inOrder
    .slice(Math.ceil(SAMPLED.length / oneIn))
    .filter((name) => !isAsked(name))
    .map(pathOf);
}

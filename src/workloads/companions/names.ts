import { withoutTrailing } from '../../base/text-search.ts';
import { digest } from '../digest.ts';
import type { CompanionRole } from './companion.ts';

const LONGEST_NAME = 253;
const PEERS = '/peers';

/** On a companion: its source, as the value of `sourceMark`. */
export const companionAnnotation = 'serin.dev/companion-of';

/** A source can have one companion in each role. */
export const sourceMark = (source: string, role: CompanionRole): string => (role === 'peers' ? `${source}${PEERS}` : source);
export const isPeersMark = (mark: string): boolean => mark.endsWith(PEERS);

/** Names for the companion of a source, the best first: the others are used if an object of someone else, or of another Canary, has that name. */
export function companionCandidates(source: string, role: CompanionRole, target: string): string[] {
  const candidates =
    role === 'peers'
      ? [`${source}-${target}-primary`, `${source}-peers-${target}-primary`]
      : [`${source}-primary`, `${source}-of-${target}-primary`];
  return candidates.map(fitting);
}

function fitting(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${withoutTrailing(name.slice(0, LONGEST_NAME - 11), '-.')}-${digest(name).slice(0, 10)}`;
}

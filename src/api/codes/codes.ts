import { type About, type Actor, actors, type Code, type CodeKind } from './code.ts';
import { codes } from './list.ts';

export type CodeName = keyof typeof codes;
type Seen<K extends CodeKind> = { [C in CodeName]: K extends (typeof codes)[C]['kinds'][number] ? C : never }[CodeName];

/** Reason of an event. */
export type Reason = Seen<'event'>;
/** `status.release.blockers[].code`: a reason for which a release does not continue. */
export type BlockerCode = Seen<'blocker'>;
/** Cause that `serin why` names. */
export type Cause = Seen<'cause'>;
/** `status.release.ending.code`: the reason for the end of a release. */
export type EndingCode = Seen<'ending'>;
/** Reason for which a release waits: a blocker, or a state that ends by itself or with the next edit of the target. */
export type WaitCode = BlockerCode | (typeof UNBLOCKED)[number];
/** Type of a condition that warns while it is True. */
export type WarningCondition = Seen<'condition'>;

const isSeenAs =
  <K extends CodeKind>(kind: K) =>
  (name: string): name is Seen<K> => {
    const { kinds }: Partial<Code> = codeOf(name) ?? {};
    return kinds?.includes(kind) === true;
  };
const codeOf = (name: string): Code | undefined => (Object.hasOwn(codes, name) ? codes[name as CodeName] : undefined);

/** A word of a status, which can also be of a newer Serin. */
export const isBlockerCode = isSeenAs('blocker');
export const isWarningCondition = isSeenAs('condition');

export const blockerCodes = Object.keys(codes).filter(isBlockerCode);
/** Waits that do not block a release, and that the status does not list. */
const UNBLOCKED = ['Propagating', 'Running', 'Resting', 'Failed'] as const satisfies readonly Cause[];
export const waitCodes: readonly WaitCode[] = [...blockerCodes, ...UNBLOCKED];
export const endingCodes = Object.keys(codes).filter(isSeenAs('ending'));
export const warningConditions = Object.keys(codes).filter(isWarningCondition);
export const causes = Object.keys(codes).filter(isSeenAs('cause'));
/** Cause behind the end of a release. */
export type EndingCause = Cause | BlockerCode;
export const endingCauses: readonly EndingCause[] = [...new Set<EndingCause>([...causes, ...blockerCodes])];

/** Remedy of a code in one case, or in general without a case. */
export function remedyOf(name: CodeName, about: About = {}): string {
  const { remedy }: Code = codes[name];
  return typeof remedy === 'string' ? remedy : remedy(about);
}

/** A code names a situation that ends by itself or needs no action. */
export function needsNoOne(name: CodeName): boolean {
  const { actor }: Code = codes[name];
  return actor === 'byItself' || actor === 'noAction';
}

/** The actor in one case. */
export function actorOf(name: CodeName, about: About): string {
  return actors[actorIn(name, about)];
}

/** The actor, unless it is the owner of the Canary or of its target, who read the message anyway. */
export function otherActor(name: CodeName, about: About): string | undefined {
  const actor = actorIn(name, about);
  return needsNoOne(name) || actor === 'canaryOwner' || actor === 'workloadOwner' ? undefined : actors[actor];
}

function actorIn(name: CodeName, { object }: About): Actor {
  const { actor, unnamed = 'canaryOwner' }: Code = codes[name];
  return actor === 'objectOwner' && object === undefined ? unnamed : actor;
}

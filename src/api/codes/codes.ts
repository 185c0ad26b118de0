import { type About, type Actor, actors, type Code, type CodeKind } from './code.ts';
import { codes } from './list.ts';

export type CodeName = keyof typeof codes;
type Seen<K extends CodeKind> = { [C in CodeName]: K extends (typeof codes)[C]['kinds'][number] ? C : never }[CodeName];

/** Reason of an event. */
export type Reason = Seen<'event'>;
/** `status.release.blockers[].code`: a reason for which a release does not go on. */
export type BlockerCode = Seen<'blocker'>;
/** What `serin why` names. */
export type Cause = Seen<'cause'>;
/** `status.release.ending.code`: what ended a release. */
export type EndingCode = Seen<'ending'>;
/** What a release waits for: a blocker, or what ends by itself or with the next edit of the target. */
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
/** Waits that hold no release up, and that the status does not list. */
const UNBLOCKED = ['Propagating', 'Running', 'Resting', 'Failed'] as const satisfies readonly Cause[];
export const waitCodes: readonly WaitCode[] = [...blockerCodes, ...UNBLOCKED];
export const endingCodes = Object.keys(codes).filter(isSeenAs('ending'));
export const warningConditions = Object.keys(codes).filter(isWarningCondition);
export const causes = Object.keys(codes).filter(isSeenAs('cause'));

/** What to do about a code in one case; without the case, in general. */
export function remedyOf(name: CodeName, about: About = {}): string {
  const { remedy }: Code = codes[name];
  return typeof remedy === 'string' ? remedy : remedy(about);
}

/** Whether a code stands for what ends by itself or needs no action. */
export function needsNoOne(name: CodeName): boolean {
  const { actor }: Code = codes[name];
  return actor === 'byItself' || actor === 'noAction';
}

/** Who can act in one case. */
export function actorOf(name: CodeName, about: About): string {
  return actors[actorIn(name, about)];
}

/** The person who can act, where that is neither the owner of the Canary nor that of its target, who read it. */
export function otherActor(name: CodeName, about: About): string | undefined {
  const actor = actorIn(name, about);
  return needsNoOne(name) || actor === 'canaryOwner' || actor === 'workloadOwner' ? undefined : actors[actor];
}

function actorIn(name: CodeName, { object }: About): Actor {
  const { actor, unnamed = 'canaryOwner' }: Code = codes[name];
  return actor === 'objectOwner' && object === undefined ? unnamed : actor;
}

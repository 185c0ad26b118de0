import type { Recording } from '../recording/recording.ts';
import type { NamedScenario } from '../scenarios/scenario.ts';
import { type Aspects, aspectsOf } from './aspects.ts';

export interface Difference {
  scenario: NamedScenario;
  aspect: string;
  /** Value of a side, `undefined` if it has no such aspect. */
  flagger: unknown;
  serin: unknown;
}

/** Every aspect in which the two sides of a scenario differ. */
export function compareSides(scenario: NamedScenario, recording: Recording): Difference[] {
  return compareAspects(scenario, aspectsOf('flagger', scenario, recording.flagger), aspectsOf('serin', scenario, recording.serin));
}

export function compareAspects(scenario: NamedScenario, flagger: Aspects, serin: Aspects): Difference[] {
  const aspects = [...new Set([...Object.keys(flagger), ...Object.keys(serin)])];
  return aspects
    .filter(
      (aspect) =>
        canonical(flagger[aspect]) !== canonical(serin[aspect]) &&
        !isConsequence(aspect, flagger, serin) &&
        !isLateTick(aspect, flagger, serin),
    )
    .map((aspect) => ({ scenario, aspect, flagger: flagger[aspect], serin: serin[aspect] }));
}

/** A phase that one side never had, or a hook that it never called, lacks every detail: only its absence is reported. */
function isConsequence(aspect: string, flagger: Aspects, serin: Aspects): boolean {
  const phase = /^(?:weights|iterations|failed checks) in (.*)$/.exec(aspect)?.[1];
  const hook = /^(?:payload|metadata|calls|rapid calls|passes|checksums) of (\w+)/.exec(aspect)?.[1];
  const lacks = (side: Aspects, list: string, member: string | undefined): boolean =>
    member !== undefined && !((side[list] ?? []) as string[]).includes(member);
  return [flagger, serin].some((side) => lacks(side, 'phases', phase) || lacks(side, 'hook order', hook));
}

/** After a delayed tick of Flagger the next one follows at once: Serin differs only if it has more rapid calls than Flagger. */
const isLateTick = (aspect: string, flagger: Aspects, serin: Aspects): boolean =>
  aspect.startsWith('rapid calls') && Number(serin[aspect]) <= Number(flagger[aspect]);

/** JSON with sorted keys. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

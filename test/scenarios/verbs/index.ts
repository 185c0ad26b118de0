import { describe, expect, it } from 'vitest';
import { Verb } from '../../../src/api/verb-request.ts';
import type { Environment } from '../environment.ts';
import { afterAll, beforeAll } from '../world.ts';
import { byTwo, once, underOneId } from './asking.ts';
import { commandProcess } from './by-command.ts';
import { cells } from './cells.ts';
import type { Findings } from './findings.ts';
import { places } from './places.ts';
import { Trying } from './trying.ts';

/** A guard against waiting for ever: a round takes a busy machine long. */
const ROUND_MS = 900_000;

export interface VerbsPlan {
  /** Besides once: by two at once. */
  isTwice: boolean;
  /** Verbs that are requested in every place while the controller is down. */
  restarts: readonly Verb[];
  /** And while leadership changes. */
  handOvers: readonly Verb[];
}

export const ALL: VerbsPlan = { isTwice: true, restarts: Verb.options, handOvers: Verb.options };

/** The table of docs/verbs.md, tried on a cluster. */
export function describeVerbs(environmentOf: () => Environment, { isTwice, restarts, handOvers }: VerbsPlan = ALL): void {
  describe('verbs', () => {
    let trying: Trying;
    beforeAll(async () => {
      trying = await Trying.begin(environmentOf(), 'verbs');
    }, ROUND_MS);
    afterAll(() => trying?.end());

    const round = (how: string, play: () => Promise<Findings>, of: readonly Verb[] = Verb.options): void => {
      describe(how, () => {
        let findings: Findings;
        beforeAll(async () => {
          findings = await play();
        }, ROUND_MS);
        it.for(cells.filter(({ verb }) => of.includes(verb)))('E70: $title', (cell) => findings.report(cell));
      });
    };
    round('asked once', () => trying.round(once));
    it('E70: Events report what was carried out and what was refused', () => {
      expect([...trying.history.reasons()].toSorted()).toEqual(['RequestCompleted', 'RequestRejected']);
    });
    if (isTwice) describeTwice();
    for (const verb of restarts)
      round(`asked while Serin is down, which is killed with -9 when it has answered: ${verb}`, () => trying.restart(verb), [verb]);
    for (const verb of handOvers) round(`asked while the leader of two replicas stops: ${verb}`, () => trying.handOver(verb), [verb]);

    function describeTwice(): void {
      round('asked twice at once by the command', () => trying.round(byTwo(environmentOf())));
      round('asked by two under one id', () => trying.round(underOneId));
      it('E70: serin promote, in two processes at once, is carried out for one of them, and refused for the other', async () => {
        const place = places.find(({ at }) => at === 'WaitingPromotion.analysing');
        if (place === undefined) throw new Error('no place waits for its promotion');
        const findings = await trying.round(byTwo(environmentOf(), commandProcess), ['promote'], (one) => one === place);
        findings.report({ place, verb: 'promote' });
      });
    }
  });
}

import { type KindOfLoss, kindsOfLoss } from './kinds-of-loss.ts';
import type { Outcome } from './play.ts';

/** Results of the same application under both. */
export interface Beside {
  flagger: Outcome;
  serin: Outcome;
}

interface Kept {
  /** Nothing is lost. */
  keeps: number;
  /** Something is lost, and no event or condition says so. */
  silently: number;
  /** Something is lost, and an event or condition names it. */
  warned: number;
  /** Nothing is written, and the remedy is named. */
  refused: number;
}

/** Results of the long run: test/differential/arrival-results.json, from which a part of docs/differential.md is generated. */
export interface ArrivalResults {
  flagger: string;
  firstSeed: number;
  worlds: number;
  /** Duration of the run. */
  minutes: number;
  both: Readonly<Record<keyof Beside, Kept>>;
  /** Serin refuses, and Flagger loses nothing. */
  refusedWithoutLoss: number;
  /** Worlds in which Flagger or Serin loses something of the kind, and what Serin does in those in which Flagger does. */
  kinds: ({ kind: KindOfLoss; flagger: number; serin: number } & Pick<Kept, 'keeps' | 'warned' | 'refused'>)[];
}

export function resultsOf(besides: readonly Beside[], firstSeed: number, minutes: number): ArrivalResults {
  const count = (isMeant: (one: Beside) => boolean): number => besides.filter(isMeant).length;
  const kinds = (Object.keys(kindsOfLoss) as KindOfLoss[]).map((kind) => {
    const both = besides.filter(({ flagger }) => loses(flagger, kind));
    const isRefused = ({ serin }: Beside) => serin.is === 'refused';
    const isWarned = ({ serin }: Beside) => loses(serin, kind);
    return {
      kind,
      flagger: both.length,
      serin: count(({ serin }) => loses(serin, kind)),
      keeps: both.filter((one) => !isRefused(one) && !isWarned(one)).length,
      warned: both.filter((one) => !isRefused(one) && isWarned(one)).length,
      refused: both.filter(isRefused).length,
    };
  });
  return {
    flagger: '1.44.0',
    firstSeed,
    worlds: besides.length,
    minutes,
    both: { flagger: keptOf(besides.map(({ flagger }) => flagger)), serin: keptOf(besides.map(({ serin }) => serin)) },
    refusedWithoutLoss: count(({ flagger, serin }) => serin.is === 'refused' && flagger.losses.length === 0),
    kinds: kinds.filter(({ flagger, serin }) => flagger + serin > 0),
  };
}

const loses = ({ losses }: Outcome, kind: KindOfLoss): boolean => losses.some((loss) => loss.kind === kind);

function keptOf(outcomes: readonly Outcome[]): Kept {
  const kinds = outcomes.map(({ is, losses }): keyof Kept => {
    if (losses.some(({ isNamed }) => !isNamed)) return 'silently';
    if (is === 'refused') return 'refused';
    return losses.length === 0 ? 'keeps' : 'warned';
  });
  const count = (meant: keyof Kept): number => kinds.filter((kind) => kind === meant).length;
  return { keeps: count('keeps'), silently: count('silently'), warned: count('warned'), refused: count('refused') };
}

/** Table of the results, as Markdown. */
export function besideTable({ both, kinds, worlds, refusedWithoutLoss }: ArrivalResults): string {
  const row = (name: string, { keeps, silently, warned, refused }: Kept) => `| ${name} | ${keeps} | ${silently} | ${warned} | ${refused} |`;
  return [
    `| of ${worlds} applications | keep everything | lose something silently | lose something that is named | are refused |`,
    '|---|---|---|---|---|',
    row('Flagger', both.flagger),
    row('Serin', both.serin),
    '',
    `Of the ${both.serin.refused} that Serin refuses, Flagger keeps everything of ${refusedWithoutLoss}.`,
    '',
    '| lost | with Flagger | with Serin | lost with Flagger, kept by Serin | warns | refuses the Canary |',
    '|---|---|---|---|---|---|',
    ...kinds.map((one) => `| ${one.kind} | ${one.flagger} | ${one.serin} | ${one.keeps} | ${one.warned} | ${one.refused} |`),
  ].join('\n');
}

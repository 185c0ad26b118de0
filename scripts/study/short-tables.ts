import { KINDS, type Kind, PACES, paceOf, SHORT_KINDS, type ShortCell } from '../../test/study/cells.ts';
import type { Played, Results } from '../../test/study/results.ts';
import { percent, releasesOf, rps, secondRunTable, serinShare, tableOf, withSecondRun, worstOf } from './tables.ts';

type Row = Played<ShortCell>;
const paces = Object.keys(PACES);
const ofPace = (rows: readonly Row[], pace: string): Row[] => rows.filter((row) => paceOf(row) === pace);

export const shortRows = ({ shortNull, shortAgain }: Results): Row[] => withSecondRun(shortNull, shortAgain);

/** False rollbacks by the length of the windows. */
export function shortFalseTable(results: Results): string {
  const kinds = Object.keys({ ...KINDS, ...SHORT_KINDS }) as Kind[];
  return tableOf(
    ['failures', 'releases', ...paces, 'worst cell'],
    kinds.map((kind) => {
      const rows = shortRows(results).filter((row) => row.kind === kind);
      const { name, share, of } = worstOf(rows);
      const shares = paces.map((pace) => percent(serinShare(ofPace(rows, pace))));
      return [kind, rps(releasesOf(rows)), ...shares, share === 0 ? 'none' : `${percent(share)} of ${rps(of)}: ${name}`];
    }),
  );
}

export const shortAgainTable = ({ shortNull, shortAgain }: Results): string => secondRunTable(shortNull, shortAgain);

/** Seconds until a disaster is rolled back, by the length of the windows. */
export function disasterTable({ shortBad }: Results, kind: Kind): string {
  const rows = shortBad.filter((row) => row.kind === kind);
  const traffic = [...new Set(rows.map((row) => row.rps))];
  const steps = [...new Set(rows.map(({ base, effect }) => stepOf(base, effect)))];
  return tableOf(
    ['windows', 'failures', ...traffic.map((perSecond) => `${rps(perSecond)}/s`)],
    paces.flatMap((pace) =>
      steps.map((step) => [
        pace,
        step,
        ...traffic.map((perSecond) =>
          secondsOf(ofPace(rows, pace).find((row) => row.rps === perSecond && stepOf(row.base, row.effect) === step)),
        ),
      ]),
    ),
  );
}

const stepOf = (base: number, effect: number): string => `${percent(base)} → ${percent(base * effect)}`;

function secondsOf(row: Row | undefined): string {
  const outcome = row?.outcomes.serin;
  if (row === undefined || outcome?.minutesToRollback === undefined) return 'never';
  const share = outcome.rolledBack / row.releases;
  const seconds = Math.round(outcome.minutesToRollback * 60);
  const time = seconds < 600 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return share >= 0.995 ? time : `${time} (${percent(share)})`;
}

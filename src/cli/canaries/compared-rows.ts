import { type ComparedReport, sideText } from '../../reading/documents/compared-report.ts';
import type { Meaning } from '../output/paint.ts';
import type { Cell } from '../output/text-table.ts';

export const COMPARED_MEANINGS: Readonly<Record<ComparedReport['verdict'], Meaning>> = { bad: 'bad', fine: 'good', undecided: 'plain' };

/** Names the part of a screen. */
export const comparedHeading = (compared: readonly ComparedReport[]): string =>
  `Compared with the primary${compared.some(({ decides }) => decides) ? '' : ' (shadow: decides nothing)'}`;

/** One metric as a block of rows: verdict, metric, and the findings line by line. */
export function comparedRows(report: ComparedReport, wide: boolean): (string | Cell)[][] {
  const { metric, verdict, sentence, windows, problem, canary, primary } = report;
  const first = [{ text: verdict, meaning: COMPARED_MEANINGS[verdict] }, metric];
  if (windows === 0) return [[...first, '', sentence]];
  const lines: (readonly [string, string])[] = [
    ['canary', sideText(canary)],
    ['primary', `${sideText(primary)}${report.primaryFailing ? '; it fails by itself' : ''}`],
    ['ratio', ratioText(report)],
    ['evidence', evidenceText(report)],
    [verdict === 'undecided' ? 'outlook' : 'found', sentence],
    ...(problem === undefined ? [] : [['problem', `cannot be compared: ${problem}`] as const]),
    ...(wide ? [['windows', windowsText(report)] as const] : []),
  ];
  return lines.map(([label, text], at) => [...(at === 0 ? first : ['', '']), label, text]);
}

/** `12 [4.1–26]`, or with the one bound that is known. */
function ratioText({ ratio: { estimate, low, high } }: ComparedReport): string {
  const short = (value: number) => String(Number(value.toPrecision(2)));
  const seen = estimate === undefined ? 'the primary has no failures' : short(estimate);
  if (low !== undefined && high !== undefined) return `${seen} [${short(low)}–${short(high)}]`;
  if (low !== undefined) return `${seen}, at least ${short(low)}`;
  return `${seen}, ${high === undefined ? 'no bounds yet' : `at most ${short(high)}`}`;
}

/** `against: 40% of what a rollback needs; in favour: 12% of what a step needs`. */
export const evidenceText = ({ against, inFavour }: ComparedReport): string =>
  `against: ${against}% of what a rollback needs; in favour: ${inFavour}% of what a step needs`;

const SKIPPED: Readonly<Record<string, string>> = {
  invalid: 'with impossible counts',
  overlap: 'counted before',
  warmUp: 'in warm-up',
  noCanary: 'without requests of the canary',
  noPrimary: 'without requests of the primary',
};

function windowsText({ windows, skipped, dispersion }: ComparedReport): string {
  const left = Object.entries(skipped).map(([reason, times]) => `${times} ${SKIPPED[reason] ?? reason}`);
  const scatter = `dispersion ${Number(dispersion.toPrecision(2))}`;
  return `${windows} used${left.length === 0 ? '' : `, left out: ${left.join(', ')}`}; ${scatter}`;
}

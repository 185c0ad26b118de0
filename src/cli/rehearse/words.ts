import { requestsText } from '../../api/routed-text.ts';
import type { Meaning } from '../output/paint.ts';
import type { RehearsalMistake, RehearsalResult, TimelineEntry } from './rehearsal-report.ts';

const VERDICTS: Readonly<Record<RehearsalResult['verdict'], string>> = {
  promoted: 'promoted',
  caught: 'caught',
  rolledBack: 'rolled back',
  held: 'held',
  notStarted: 'not started',
  notRehearsed: 'not rehearsed',
};

/** The verdict in words, with its colour. */
export function verdictWords({ verdict, scenario }: RehearsalResult): { text: string; meaning: Meaning } {
  const isBad = verdict === 'notStarted' || verdict === 'notRehearsed' || isAgainst(verdict, scenario.expect);
  return { text: VERDICTS[verdict], meaning: isBad ? 'bad' : verdict === 'promoted' || verdict === 'caught' ? 'good' : 'busy' };
}

const isAgainst = (verdict: RehearsalResult['verdict'], expect: RehearsalResult['scenario']['expect']): boolean =>
  (expect === 'promoted' && verdict !== 'promoted') || (expect === 'not-promoted' && verdict === 'promoted');

/** `6m12s`. */
export function durationWords(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const parts = [hours > 0 ? `${hours}h` : '', minutes > 0 ? `${minutes}m` : '', rest > 0 || whole === 0 ? `${rest}s` : ''];
  return `${seconds < -0.5 ? '-' : ''}${parts.join('')}`;
}

/** One sentence on the outcome of the release. */
export function outcomeWords(result: RehearsalResult): string {
  const { seconds, verdict } = result;
  const isChecked = seconds.toDetect !== undefined && seconds.toDetect < (seconds.toRollBack ?? 0);
  const detected = isChecked ? `, the first failed check after ${durationWords(seconds.toDetect ?? 0)}` : '';
  switch (verdict) {
    case 'promoted':
      return `promoted ${durationWords(seconds.toPromote ?? seconds.total)} after the push`;
    case 'caught':
    case 'rolledBack':
      return `rolled back ${durationWords(seconds.toRollBack ?? seconds.total)} after the push${detected}`;
    case 'held':
      return `neither promoted nor rolled back ${durationWords(seconds.total)} after the push`;
    case 'notStarted':
      return 'no release started';
    case 'notRehearsed':
      return 'not rehearsed';
    default:
      return verdict satisfies never;
  }
}

/** Time from the push to the verdict. */
export function afterWords({ seconds, verdict }: RehearsalResult): string {
  if (verdict === 'notStarted' || verdict === 'notRehearsed') return '-';
  return durationWords(seconds.toPromote ?? seconds.toRollBack ?? seconds.total);
}

/** Cause for the end of a release that was not promoted: its checks, or the code of another cause. */
export function causeWords({ blamed, ending, verdict }: RehearsalResult): string {
  return blamed.join(', ') || (verdict === 'promoted' ? '' : (ending?.code ?? ''));
}

/** Requests of users that failed, of all versions. */
export const failedIn = ({ requests }: RehearsalResult): number => requests.old.failed + requests.new.failed + requests.none.failed;

/** The text of an entry, `undefined` if another entry says the same. */
export function timelineEntryWords(entry: TimelineEntry): { text: string; meaning: Meaning } | undefined {
  switch (entry.kind) {
    case 'scenario':
      return { text: `Scenario: ${entry.message}`, meaning: 'busy' };
    case 'phase':
      return { text: `phase ${entry.phase}`, meaning: entry.phase === 'Failed' ? 'bad' : entry.phase === 'Succeeded' ? 'good' : 'plain' };
    case 'traffic':
      return { text: trafficWords(entry), meaning: 'plain' };
    case 'checks':
      return {
        text: entry.checks.map(checkWords).join('; '),
        meaning: entry.checks.some(({ verdict }) => verdict === 'failed') ? 'bad' : 'plain',
      };
    case 'event':
      // The checks beside it have the same.
      return entry.type === 'Normal' || entry.reason === 'CheckFailed' ? undefined : { text: entry.message, meaning: 'busy' };
    case 'webhook': {
      const asked = entry.webhooks.map(({ name, type }) => `${type} ${name}`).join(', ');
      return { text: `webhook ${asked}: ${entry.status}`, meaning: entry.status < 300 || isRollback(entry.webhooks) ? 'plain' : 'bad' };
    }
    case 'alert':
      return { text: `alert to ${entry.to}`, meaning: 'plain' };
    case 'write':
      return undefined;
    default:
      return entry satisfies never;
  }
}

const isRollback = (webhooks: readonly { type: string }[]): boolean => webhooks.every(({ type }) => type === 'rollback');

function trafficWords({ routes, canaryWeight }: Extract<TimelineEntry, { kind: 'traffic' }>): string {
  if (routes === 'matched') return 'requests that match go to the new version';
  return routes === 'mirrored' ? 'requests are copied to the new version' : `canary weight ${canaryWeight}%`;
}

function checkWords({
  check,
  verdict,
  value,
  requests,
  limit,
  reason,
}: Extract<TimelineEntry, { kind: 'checks' }>['checks'][number]): string {
  if (verdict === 'unmeasured') return `${check} unmeasured${reason ? ` (${reason.slice(0, 120)})` : ''}`;
  return `${check} ${value === undefined ? '' : `${rounded(value)} `}${verdict}${requests === undefined ? '' : ` by ${requestsText(requests)}`}${limit ? ` (${limit})` : ''}`;
}

/** Five significant digits. */
export const rounded = (value: number): string => String(Number(value.toPrecision(5)));

/** The checks that are not measured, and why. */
export const unmeasuredRows = ({ checks }: RehearsalResult): string[][] =>
  checks
    .filter(({ state }) => state !== 'modelled')
    .map(({ check, state, value, why = '' }) => [check, state === 'assumed' ? `assumed to be ${value}` : `not modelled: ${why}`]);

/** The objects that are not used, and why. */
export const unusedRows = ({ notApplied }: RehearsalResult): string[][] =>
  notApplied.map(({ kind, name, why }) => [`${kind} ${name}`, why]);

/** The line of the file, or the object, that a mistake is about. */
export function placeWords({ file, line, object }: RehearsalMistake): string {
  if (file === undefined) return object ? `${object.kind} ${object.name}` : '';
  return line === undefined ? file : `${file}:${line}`;
}

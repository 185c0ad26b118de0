import { requestsText } from '../api/routed-text.ts';
import type { Rehearsal } from './rehearsal.ts';
import { ENOUGH_REQUESTS, thinChecks } from './thin-evidence.ts';
import { timesOf, verdictOf } from './verdict.ts';

export type MistakeCode =
  | 'bad-version-promoted'
  | 'good-version-not-promoted'
  | 'not-started'
  | 'object-refused'
  | 'check-never-measured'
  | 'new-version-unseen'
  | 'new-version-untried'
  | 'rolled-back-late'
  | 'thin-evidence';

/** A rollback later than this after the first failed check exposes users for too long. Ten checks a minute apart, as in most examples, take a third of it. */
const LATE_MS = 30 * 60_000;

/** Mistakes in the manifests that a rehearsal shows. */
interface Mistake {
  code: MistakeCode;
  severity: 'error' | 'warning';
  message: string;
}

const error = (code: MistakeCode, message: string): Mistake => ({ code, severity: 'error', message });
const warning = (code: MistakeCode, message: string): Mistake => ({ code, severity: 'warning', message });

export function mistakesOf(rehearsal: Rehearsal): Mistake[] {
  return [
    ...outcomeMistakes(rehearsal),
    ...refusedObjects(rehearsal),
    ...unmeasuredChecks(rehearsal),
    ...unseenVersion(rehearsal),
    ...lateRollback(rehearsal),
    ...thinEvidence(rehearsal),
  ];
}

function outcomeMistakes(rehearsal: Rehearsal): Mistake[] {
  const { scenario, requests, message } = rehearsal;
  const verdict = verdictOf(rehearsal);
  if (verdict === 'notStarted') return [error('not-started', `no release can start: ${message || 'the Canary was never initialized'}`)];
  if (verdict === 'promoted' && scenario.expect === 'not-promoted') {
    const what = `a bad version is promoted (${scenario.says || scenario.name}); ${requests.new.failed} requests failed`;
    return [error('bad-version-promoted', `${what}: add a check that measures this, or correct its limit`)];
  }
  if (verdict === 'promoted' || scenario.expect !== 'promoted') return [];
  if (!isUntried(rehearsal)) return [error('good-version-not-promoted', `a good version is not promoted: ${message}`)];
  const why =
    'nothing sends requests to the new version, so its checks are not measured, and a good version is not promoted: unless something outside the model does, add a rollout webhook with a load test';
  return [warning('new-version-untried', why)];
}

/** No step routes users to the new version, as in blue/green, and the only problem is that nothing could be measured. */
function isUntried({ moments, requests }: Rehearsal): boolean {
  const last = moments.findLast((moment) => moment.kind === 'checks');
  const isRoutedAtAll = moments.some(({ kind, ...moment }) => kind === 'weight' && isRouted(moment));
  if (last?.kind !== 'checks' || isRoutedAtAll || requests.new.sent > 0) return false;
  return last.verdicts.every(({ verdict }) => verdict !== 'failed') && last.verdicts.some(({ verdict }) => verdict === 'unmeasured');
}

const refusedObjects = ({ notApplied }: Rehearsal): Mistake[] =>
  notApplied
    .filter(({ isUnknownKind }) => !isUnknownKind)
    .map(({ kind, name, why }) => error('object-refused', `the API server refuses ${kind} ${name}: ${why}`));

/** Checked only if the model has everything that a check needs: users, Prometheus and a version that answers. */
function unmeasuredChecks({ scenario, moments, requests }: Rehearsal): Mistake[] {
  if (scenario.expect !== 'promoted' || requests.new.sent === 0) return [];
  const seen = new Map<string, { times: number; measured: number; reason: string }>();
  for (const moment of moments) {
    if (moment.kind !== 'checks') continue;
    for (const { check, verdict, reason = '' } of moment.verdicts) {
      const { times = 0, measured = 0 } = seen.get(check) ?? {};
      seen.set(check, { times: times + 1, measured: measured + (verdict === 'unmeasured' ? 0 : 1), reason });
    }
  }
  return [...seen]
    .filter(([, { times, measured }]) => times > 1 && measured === 0)
    .map(([check, { reason }]) => warning('check-never-measured', `check ${check} is never measured while users are served: ${reason}`));
}

function lateRollback(rehearsal: Rehearsal): Mistake[] {
  const { detectMs = 0, rollBackMs = 0 } = timesOf(rehearsal);
  const lateMs = rollBackMs - detectMs;
  if (verdictOf(rehearsal) !== 'caught' || lateMs <= LATE_MS) return [];
  const what = `a bad version is rolled back ${Math.round(lateMs / 60_000)} min after its first failed check`;
  return [warning('rolled-back-late', `${what}: lower spec.analysis.threshold or spec.analysis.interval`)];
}

/** The release was promoted, and no check of a metric had enough requests to detect a bad version. */
function thinEvidence(rehearsal: Rehearsal): Mistake[] {
  if (verdictOf(rehearsal) !== 'promoted') return [];
  const missed = `with fewer than ${ENOUGH_REQUESTS} a version that fails every tenth request passes more often than one time in twenty`;
  const remedy = 'make the interval of the metric longer, or set minimumRequests with analysis.unmeasured: hold';
  return thinChecks(rehearsal).map(({ check, most }) =>
    warning('thin-evidence', `no check of ${check} was decided by more than ${requestsText(most)}: ${missed}; ${remedy}`),
  );
}

/** A step that routes users to the new version brings none of them: they do not match its host, gateway or condition. */
function unseenVersion({ scenario, moments, samples }: Rehearsal): Mistake[] {
  const routed = moments.find(({ kind, ...moment }) => kind === 'weight' && isRouted(moment));
  const ended = moments.find((moment) => moment.kind === 'phase' && ['Promoting', 'Failed'].includes(moment.phase));
  if (scenario.expect !== 'promoted' || routed === undefined || ended === undefined) return [];
  const during = samples.filter(({ atMs }) => atMs > routed.atMs && atMs < ended.atMs);
  const isServed = during.some(({ requests }) => requests.old.sent > 0);
  if (!isServed || during.some(({ requests }) => requests.new.sent > 0)) return [];
  const what = 'no request of a user reaches the new version before it is promoted';
  return [warning('new-version-unseen', `${what}: check hosts, gateways and analysis.match`)];
}

const isRouted = (moment: object): boolean =>
  ('weightPercent' in moment && Number(moment.weightPercent) > 0) || ('routes' in moment && moment.routes === 'matched');

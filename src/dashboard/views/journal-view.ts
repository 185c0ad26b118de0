import type { Metric } from '../../api/canary.ts';
import type { JournalPart } from '../../engine/journal/journal-part.ts';
import { journalEntries, type Noted } from '../../engine/journal/replay.ts';
import { rangeOf } from '../../reading/canary-report.ts';
import { entryWords } from '../../reading/journals/entry-words.ts';
import type { Journal } from '../../reading/journals/read-journals.ts';
import type { CheckHistoryView, JournalView, PointView } from '../wire.ts';

/** Charts of one page. */
const MOST_CHECKS = 50;

/** A journal for the page: its steps, and the measurements of each check. Pure. */
export function journalView({ namespace, name, run, parts }: Pick<Journal, 'namespace' | 'name' | 'run' | 'parts'>): JournalView {
  const last = parts.at(-1);
  const noted = notedIn(parts);
  const steps = noted.map(({ entry, facts }) => {
    const { weight, failedChecks, state } = entry.decided;
    return { atMs: facts.nowMs, weight, failedChecks, state, text: entryWords(entry) };
  });
  return { namespace, name, release: run, revision: last?.revision ?? '', outcome: last?.ended, steps, checks: checksIn(noted) };
}

const notedIn = (parts: readonly JournalPart[]): Noted[] => [...journalEntries(parts)].flatMap((one) => ('unfit' in one ? [] : [one]));

function checksIn(noted: readonly Noted[]): CheckHistoryView[] {
  const checks = new Map<string, CheckHistoryView & { values: PointView[]; baseline: PointView[] }>();
  for (const { entry, facts } of noted) {
    if (entry.answer?.kind !== 'measure') continue;
    for (const { check, verdict, value, baseline, limit, early } of entry.answer.verdicts) {
      // Not measured for long enough yet: no result.
      if (early) continue;
      const known = checks.get(check) ?? { check, failed: 0, unmeasured: 0, values: [], baseline: [] };
      if (!checks.has(check) && checks.size >= MOST_CHECKS) continue;
      known.limit = limit ?? known.limit;
      Object.assign(known, boundsOf(check, facts.canary.spec.analysis.metrics));
      known.failed += verdict === 'failed' ? 1 : 0;
      known.unmeasured += verdict === 'unmeasured' ? 1 : 0;
      if (value !== undefined) known.values.push({ atMs: facts.nowMs, value });
      if (baseline !== undefined) known.baseline.push({ atMs: facts.nowMs, value: baseline });
      checks.set(check, known);
    }
  }
  return [...checks.values()];
}

/** The accepted range of a check by its name, as numbers; empty if the check has no range, or is not one of these metrics. */
export function boundsOf(check: string, metrics: readonly Metric[] = []): ReturnType<typeof rangeOf>['limit'] {
  const metric = metrics.find(({ name }) => name === check);
  return metric ? rangeOf(metric).limit : {};
}

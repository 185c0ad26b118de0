import type { Release } from '../../api/canary-status.ts';
import { announce, type ContextPatch } from '../changes/change.ts';
import type { Input } from '../context.ts';
import { say } from '../reasons.ts';
import { isGate } from './compared-metrics.ts';
import { comparedStates } from './compared-state.ts';
import { harmText, percent, shareText } from './words.ts';

/** Announcements, each once in a release: the rollback that a gate would have made in shadow mode, and a primary that fails by itself (rule E126). */
export function withNews(input: Input, release: Release): ContextPatch & { release: Release } {
  const { analysis } = input.event.facts.canary.spec;
  let change: ContextPatch & { release: Release } = { release };
  const tell = (name: string, news: 'bad' | 'primaryFailing', reason: 'ComparedWorse' | 'PrimaryFailing', message: string) => {
    const comparison = change.release.comparison ?? {};
    const { reported = [], ...known } = (comparison[name] ?? {}) as { reported?: string[] };
    const said = announce({ ...input, context: { ...input.context, ...change } }, say(reason, message, { warning: true }));
    const kept = { ...change.release, comparison: { ...comparison, [name]: { ...known, reported: [...reported, news] } } };
    // An open question stays open.
    const { open: _, ...told } = said;
    change = { ...change, ...told, release: kept };
  };
  for (const state of comparedStates(release, input.event.facts.canary)) {
    const { judgement, known, metric } = state;
    const isNew = (news: 'bad' | 'primaryFailing') => known.reported?.includes(news) !== true;
    if (judgement.verdict === 'bad' && !isGate(analysis) && isNew('bad'))
      tell(
        metric.name,
        'bad',
        'ComparedWorse',
        `Worse than the primary, and with comparison.mode gate it would be rolled back: ${harmText(state)}`,
      );
    if (judgement.isPrimaryFailing && isNew('primaryFailing')) {
      const now = shareText(judgement.primary, known.evidence.primary);
      const message = `The primary itself fails: ${now} ${metric.name}, certainly above ${percent(metric.comparison.primaryFailing)}; the canary is compared with that`;
      tell(metric.name, 'primaryFailing', 'PrimaryFailing', message);
    }
  }
  return change;
}

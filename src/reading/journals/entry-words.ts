import { requestsText } from '../../api/routed-text.ts';
import type { JournalAnswer } from '../../engine/journal/journal-part.ts';
import type { NotedEntry } from '../../engine/journal/replay.ts';

/** Input and actions of one step. */
export function entryWords({ event, answer, key, decided, writes = [] }: NotedEntry): string {
  const seen = answer ? answerWords(answer) : key === undefined ? event.toLowerCase() : `delivered ${key}`;
  const asks = decided.asks.filter((ask) => ask !== 'record' && !ask.startsWith('wakeAt'));
  return [seen, ...asks.map((ask) => `-> ${ask}`), ...writes.map((write) => `wrote: ${write}`)].join('; ');
}

function answerWords(answer: JournalAnswer): string {
  switch (answer.kind) {
    case 'measure':
      return answer.verdicts
        .map(
          ({ check, verdict, value, requests, limit }) =>
            `${check} ${verdict}${value === undefined ? '' : ` at ${value}`}${requests === undefined ? '' : ` by ${requestsText(requests)}`}${limit ? ` (${limit})` : ''}`,
        )
        .join(', ');
    case 'runHooks':
      return `${answer.type || 'rollout'} ${answer.outcome}${(answer.calls ?? []).map(({ webhook, status }) => ` ${webhook}: ${status ?? 'no answer'}`).join(',')}`;
    case 'compare':
      return `counts of both sides: ${answer.compared.map((one) => `${one.metric} ${one.kind}`).join(', ')}`;
    default:
      return `${answer.kind} ${answer.outcome}`;
  }
}

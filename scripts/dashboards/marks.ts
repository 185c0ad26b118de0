import type { Mark } from './dashboard.ts';

/** A series exists only from its first event on: that counts from none. */
function grew(counter: string): string {
  const now = `sum by (namespace, name) (${counter})`;
  return `${now} > (sum by (namespace, name) (${counter} offset 1m) or ${now} * 0)`;
}

/** `at`: labels of the Canaries, in braces; empty for all. */
export function releaseMarks(at = ''): { began: Mark; ended: readonly Mark[] } {
  const mark = (name: string, color: Mark['color'], counter: string): Mark => ({
    name,
    color,
    expr: grew(counter),
    text: '{{namespace}}/{{name}}',
  });
  return {
    began: mark('Began', 'blue', `flagger_canary_events_total{${[at, 'reason="NewRevision"'].filter(Boolean).join(',')}}`),
    ended: [
      mark('Promoted', 'green', `flagger_canary_successes_total${at && `{${at}}`}`),
      mark('Rolled back', 'red', `flagger_canary_failures_total${at && `{${at}}`}`),
    ],
  };
}

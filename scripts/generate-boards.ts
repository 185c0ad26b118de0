/** Writes docs/boards.md; with `--check`, fails when the committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { observedGroups } from './dashboards/providers.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const KINDS = ['Deployment', 'DaemonSet', 'Service'];

/** The kinds that the matcher of a dashboard lets through. */
function kindsOf({ kind, kinds }: (typeof observedGroups)[number]): string {
  if (kind !== undefined) return kind;
  const [, how, named = ''] = /^kind(!~|=)"(.*)"$/.exec(kinds) ?? [];
  const those = named.split('|');
  return KINDS.filter((one) => how === undefined || those.includes(one) === (how === '=')).join(', ');
}

const rows = observedGroups.map((group) => {
  const { id, title, providers, observer, toPrimary } = group;
  const sides = typeof toPrimary === 'string' ? 'as one' : 'apart';
  const duration = `${observer.durationStatistic === 'mean' ? 'mean' : 'P99'}, ${observer.durationUnit}`;
  return `| ${providers.map((name) => `\`${name}\``).join(', ')} | ${kindsOf(group)} | \`serin-${id}\` | ${title} | ${sides} | ${duration} |`;
});

const parts = {
  boards: `| provider | kind of target | uid | title | both sides | duration that is judged |
|---|---|---|---|---|---|
${rows.join('\n')}`,
};

const path = join(import.meta.dirname, '..', 'docs', 'boards.md');
export const generate: Generate = () => [
  { path, text: withParts(readFileSync(path, 'utf8'), 'generate-boards', parts), source: 'scripts/dashboards' },
];

if (import.meta.main) await runAlone(generate);

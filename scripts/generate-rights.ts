/** Writes docs/rights.md from the tables of permissions; with `--check`, fails when the committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';
import { canIList } from './rights/can-i.ts';
import { leaseRules, MAIL, type Mode, modes, permissionsIn, SHOP } from './rights/modes.ts';
import { type Danger, dangers } from './rights/stolen-token.ts';

const path = join(import.meta.dirname, '..', 'docs', 'rights.md');

const table = [
  `| a stolen token could | ${modes.map(({ name }) => name).join(' | ')} |`,
  `|---|${modes.map(() => '---|').join('')}`,
  ...Object.values(dangers).map(({ what, answer }: Danger) => `| ${what} | ${modes.map(answer).join(' | ')} |`),
].join('\n');

const listIn = (mode: Mode, namespace: string): string => `In namespace \`${namespace}\`:

\`\`\`
${canIList(permissionsIn(mode, namespace))}
\`\`\``;

function section(mode: Mode): string {
  const { name, values, about, namespaces, secretsNamespaces } = mode;
  const set = Object.keys(values).length === 0 ? '' : `\n\`\`\`yaml\n${stringify(values, { collectionStyle: 'block' })}\`\`\`\n`;
  const elsewhere = namespaces ? '\n\nIn any other namespace: nothing.' : '';
  const beside = secretsNamespaces ? `\n\n${listIn(mode, MAIL)}` : '';
  return `### ${name[0]?.toUpperCase()}${name.slice(1)}\n\n${about}\n${set}\n${listIn(mode, SHOP)}${beside}${elsewhere}`;
}

const parts = {
  dangers: table,
  lease: `\`\`\`
${canIList(leaseRules(false))}
\`\`\``,
  modes: modes.map(section).join('\n\n'),
};

export const generate: Generate = () => [
  {
    path,
    text: withParts(readFileSync(path, 'utf8'), 'generate-rights', parts),
    source: 'src/controller/permissions.ts and scripts/rights',
  },
];

if (import.meta.main) await runAlone(generate);

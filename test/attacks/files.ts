import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exitCodes } from '../../src/cli/output/exit-codes.ts';
import { MOST } from '../../src/cli/validate/limits.ts';
import { besideHonest, honestCanary, hostileTexts } from '../fakes/hostile-files.ts';
import { manifestReaders, saidOf } from '../fakes/manifest-readers.ts';
import { type Attack, type AttackClass, attack, harmless, numbered } from './run/attack.ts';

/** With a finding, or where there is nothing that can be rehearsed. */
const REFUSED = [exitCodes.no.code, exitCodes.usage.code];
const OUT = 'is a link out of';
/** A file beyond the repository that the job may read. */
const SECRET = 'a-token-of-the-job';

/** Each reader says it, with the file and the field, and neither crashes nor shows what lies beside the folder. */
async function refused(
  make: (folder: string) => void,
  findings: readonly string[],
  readers: readonly (readonly string[])[] = manifestReaders,
) {
  const folder = mkdtempSync(join(tmpdir(), 'serin-attacks-'));
  make(folder);
  for (const reader of readers) {
    const { code, text } = await saidOf(reader, folder);
    expect(REFUSED, `${reader.join(' ')}: ${text.slice(0, 2_000)}`).toContain(code);
    for (const finding of findings) expect(text, reader.join(' ')).toContain(finding);
    expect(text).not.toMatch(/ at \S+ \(?(file:|node:|\/)/);
    expect(text).not.toContain(SECRET);
  }
}

const file = (what: string, text: string, findings: readonly string[], readers?: readonly (readonly string[])[]): Omit<Attack, 'id'> =>
  attack('issue 44', `a pull request with ${what}`, harmless, () =>
    refused((folder) => writeFileSync(join(folder, 'f.yaml'), text), findings, readers),
  );

/** A finding without its place. */
const remedyOf = (finding: string): string => finding.replace(/^f\.yaml:\d+ document: error: /, '');

/** Beyond the root of every file system. */
const UPWARDS = Array.from({ length: 7 }, () => '..');

/** A link of a pull request, and what is said of it. */
const links: readonly (readonly [what: string, target: (away: string) => string, finding: string])[] = [
  ['a file of the job', (away) => join(away, 'token'), OUT],
  ['/dev/zero', () => '/dev/zero', OUT],
  ['the standard input', () => '/dev/stdin', OUT],
  ['the environment of the reader', () => '/proc/self/environ', OUT],
  ['itself', () => 'link.yaml', 'is a link that leads to itself: remove it'],
  ['a file of the job, by way of a folder', (away) => join('in', ...UPWARDS, away, 'token'), OUT],
];

const deployment = (replicas: number) =>
  `---\napiVersion: apps/v1\nkind: Deployment\nmetadata: { name: shop }\nspec: { replicas: ${replicas}, selector: { matchLabels: { app: shop } }, template: { metadata: { labels: { app: shop } }, spec: { containers: [{ name: x, image: 'x:1' }] } } }\n`;
const longer = (analysis: string) => `${honestCanary.replace('interval: 1m, threshold: 5, stepWeight: 10', analysis)}${deployment(2)}`;
/** `validate` reads each beside an honest Canary. */
const WITHOUT_PLAYING = manifestReaders.filter(([name]) => name !== 'validate');
const REHEARSE = [['rehearse']] as const;

export const files: AttackClass = {
  name: 'files',
  title: 'files of a pull request that a job in CI reads with validate, rehearse and preflight',
  attacks: numbered('CIF', [
    // A rehearsal would play the honest Canary.
    ...hostileTexts
      .filter(([, , finding]) => !finding.includes('this run has'))
      .map(([what, text, finding]) =>
        file(what, text.startsWith('x,') ? `[${text}]` : text, ['f.yaml:', remedyOf(finding)], WITHOUT_PLAYING),
      ),
    ...hostileTexts.map(([what, text, finding]) =>
      file(`${what}, beside an honest Canary`, besideHonest(text), [finding, 'Canary/shop: warning'], [['validate']]),
    ),
    ...links.map(([what, target, finding]) =>
      attack('CWE-22' as const, `a link to ${what}`, { harmless: true } as const, () =>
        refused(
          (folder) => {
            const away = mkdtempSync(join(tmpdir(), 'serin-away-'));
            writeFileSync(join(away, 'token'), honestCanary.replace('shop', SECRET));
            mkdirSync(join(folder, 'in'));
            symlinkSync(target(away), join(folder, 'link.yaml'));
          },
          ['link.yaml', finding],
        ),
      ),
    ),
    attack('CWE-770', 'a file of holes that is larger than the memory of the job', harmless, () =>
      refused(
        (folder) => {
          writeFileSync(join(folder, 'f.yaml'), '');
          truncateSync(join(folder, 'f.yaml'), 2 ** 40);
        },
        ['f.yaml', 'is larger than 32 MiB'],
      ),
    ),
    attack('CWE-770', 'more manifests than are read', harmless, () =>
      refused(
        (folder) => {
          for (let n = 0; n <= MOST.files; n += 1) writeFileSync(join(folder, `${n}.yaml`), '');
        },
        [`has more than ${MOST.files} manifests`],
      ),
    ),
    file(
      'a million iterations',
      longer('interval: 1m, threshold: 5, iterations: 1000000'),
      ['f.yaml:4', 'spec.analysis.iterations', 'plays 2000'],
      REHEARSE,
    ),
    file(
      'thousands of weights',
      longer(`interval: 1m, threshold: 5, stepWeights: [${'1,'.repeat(5_000)}]`),
      ['f.yaml:4', 'spec.analysis.stepWeights', 'at most 1000 entries'],
      REHEARSE,
    ),
    file(
      'checks of a year',
      longer('interval: 525600m, threshold: 5, stepWeight: 10'),
      ['f.yaml:4', 'spec.analysis.interval', 'than the 72 h'],
      REHEARSE,
    ),
    file(
      'a hundred thousand pods, and no analysis that ends',
      `${longer('interval: 1m, threshold: 5, iterations: 1000000').replace(deployment(2), deployment(100_000))}`,
      ['f.yaml:9', 'spec.replicas: 100000 pods are modelled by 30'],
      REHEARSE,
    ),
  ]),
  uncovered: [
    'journals and message templates, which are files of the operator: their size is bounded (src/cli/journal/journal-file.ts, src/cli/controller/message-templates-file.ts).',
  ],
};

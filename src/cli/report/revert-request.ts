import { commitAnnotation, commitHash } from '../../api/commit.ts';
import { type Ending, endingOf, endingSentence, isRemediedByVersion } from '../../api/ending.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { cutText } from '../../base/cut-text.ts';
import { defined } from '../../base/defined.ts';
import { redactText } from '../../base/redact-text.ts';
import { summaryOf } from '../../reading/canary-reading.ts';
import { headOf } from '../../reading/documents/output-version.ts';
import type { RevertRequest } from '../output/documents.ts';
import { CommandError } from '../output/exit-codes.ts';
import { wrapped } from '../output/text.ts';

/** Number of characters of a title that all forges show. */
const LONGEST_TITLE = 120;
const LONGEST_TEXT = 1_000;
const SHORT_HASH = 12;
const COLUMNS = 100;

/** Title and body of a request that reverts the commit of the last release, which has failed. */
export function revertRequest(raw: KubeObject): RevertRequest {
  const { namespace, name, ending: shown } = summaryOf(raw);
  const { phase = '', release } = parseStatus(raw.status) ?? {};
  const ending = release && endingOf(phase, release);
  if (phase !== 'Failed' || release === undefined || ending === undefined || shown === undefined)
    throw new CommandError(
      'no',
      `nothing to revert: the last release of Canary ${namespace}/${name} has not failed (${phase === '' ? 'it has no release' : `its phase is ${phase}`})`,
    );
  const { run, revision, change, commit } = release;
  const known = commit === undefined ? undefined : commitHash(commit);
  const hash = known !== undefined && 'hash' in known ? known.hash : undefined;
  const how = ending.code === 'PromotionFailed' ? 'could not be promoted' : 'was rolled back';
  const title = `Revert ${hash?.slice(0, SHORT_HASH) ?? 'the version'}: release ${run} of ${namespace}/${name} ${how} (${ending.code})`;
  const images = change?.images ?? [];
  const lines = [
    `Release ${run} of Canary ${code(`${namespace}/${name}`)} ${how} at ${shown.at}. Git still names its version.`,
    '',
    `- Commit: ${hash === undefined ? `not known; write it into the annotation ${code(commitAnnotation)} for the next release` : code(hash)}`,
    ...images.map(({ container, from, to }) => `- Image of ${code(container)}: ${code(from ?? 'none')} → ${code(to ?? 'none')}`),
    ...(change?.moreImages ? [`- More images: ${change.moreImages}`] : []),
    ...(change?.configs ?? []).map((config) => `- Changed: ${code(config)}`),
    `- Revision: ${code(revision)}`,
    `- Reason: ${code(ending.code)}${ending.cause === undefined ? '' : `, cause ${code(ending.cause)}`}`,
    '',
    '### What happened',
    '',
    ...prose(endingSentence(ending, `${namespace}/${name}`)),
    ...checksOf(ending),
    '',
    '### Remedy',
    '',
    ...prose(shown.remedy),
    ...(isRemediedByVersion(ending) ? [] : ['', 'The cause is not known to be the version: the remedy can be enough without a revert.']),
    '',
    '### Commands',
    '',
    '```sh',
    ...commandsFor(hash, `${namespace}-${name}-${run}`),
    '```',
  ];
  return {
    ...headOf('RevertRequest', { namespace, name }),
    release: run,
    ...defined({ commit: hash }),
    images,
    reason: ending.code,
    title: cutText(title, LONGEST_TITLE),
    body: `${lines.join('\n')}\n`,
  };
}

function commandsFor(hash: string | undefined, branch: string): string[] {
  return [
    'git fetch origin',
    `git switch --create revert-${branch} origin/HEAD`,
    hash === undefined
      ? 'git revert --no-edit COMMIT    # the commit that brought the version: git log'
      : `git revert --no-edit ${hash}    # of a merge: with -m 1`,
    `git push --set-upstream origin revert-${branch}`,
  ];
}

function checksOf({ checks = [], moreChecks = 0 }: Pick<Ending, 'checks' | 'moreChecks'>): string[] {
  if (checks.length === 0) return [];
  return [
    '',
    '### Checks that did not pass',
    '',
    ...checks.map(({ check, verdict, value, limit, reason }) => {
      const facts = [verdict, ...(value === undefined ? [] : [`value ${value}`]), ...(limit === undefined ? [] : [`limit ${code(limit)}`])];
      return `- ${code(check)}: ${facts.join(', ')}${reason === undefined ? '' : ` (${code(reason)})`}`;
    }),
    ...(moreChecks > 0 ? [`- ${moreChecks} more`] : []),
  ];
}

/** A text of others as code, in which forges see no mention and no link; without credentials. */
const code = (text: string): string => `\`${plain(text)}\``;

const prose = (text: string): string[] => ['```text', ...wrapped(plain(text), COLUMNS), '```'];

const plain = (text: string): string => cutText(redactText(text.replace(/\s+/g, ' ').replaceAll('`', "'").trim()), LONGEST_TEXT) || '-';

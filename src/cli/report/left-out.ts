import type { ReportContents } from '../output/documents.ts';

/** Data that is never in a report, for `contents.json` and the README of an archive. */
export const leftOut: readonly string[] = [
  'the content of Secrets and ConfigMaps: they are not even read',
  'checksums of Secrets, and names and revisions that are made of them: numbers replace these, the same in all files',
  'values of environment variables, arguments and commands of containers; of the controller only flags without addresses and credentials are shown',
  'annotations that others wrote, kubectl’s last-applied-configuration among them; only their names are shown',
  'the values in managedFields; only the manager of each field is shown',
  'user name, password and query of addresses, and any path that is not a known one',
  'values of headers, query parameters and cookies, also in conditions of routes; metadata of webhooks and triggers; variables of templates',
  'fields whose name speaks of a password, token, key or the like, and texts of any field that look like one',
  'termination messages of containers',
  'the kubeconfig, the address of the API server, and who made the report',
];

/** The README of an archive. */
export function readme({ created, client, canaries, files, notRead, valuesHidden }: ReportContents): string {
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}\n`).join('');
  return `A report of Serin ${client}, made ${created} by "serin report" for a bug report: what the cluster said of
${canaries.map(({ namespace, name }) => `${namespace}/${name}`).join(', ') || 'no Canary'}.

Review it before you send it: it contains names of objects, hosts, images and of users who made requests, and also
queries of checks and sentences of events. ${valuesHidden} values were replaced by ***. contents.json says the same for programs.

Files
${list(files.map(({ path, says, cut }) => `${path}: ${says}${cut ? ' (its end is missing: too large)' : ''}`))}
Not readable
${list(notRead.map(({ what, why }) => `${what}: ${why}`)) || '- nothing\n'}
Never in a report
${list(leftOut)}`;
}

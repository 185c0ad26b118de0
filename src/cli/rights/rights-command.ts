import { CommandError, type ExitName } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { type Item, readDocuments } from '../validate/documents.ts';
import { Spent } from '../validate/limits.ts';
import { readSources } from '../validate/sources.ts';
import { installationOf, isValues } from './installation.ts';
import { inventoryOf, isObjectName, type RightsProblem } from './inventory.ts';
import { rightsNotes } from './notes.ts';
import { roleLines } from './role-lines.ts';
import { type LeastRole, leastRoles } from './roles.ts';
import { type Account, type RightsSettings, settingsOf } from './settings.ts';
import { usedBy } from './used.ts';

/** Input of `serin rights`. */
export interface RightsArgs {
  /** Files, folders, or `-` for `stdin`. */
  files: readonly string[];
  stdin?: Buffer | undefined;
  /** Namespace of objects that name none. */
  namespace?: string | undefined;
  /** Account of the controller, unless the files name another one. */
  account: Account;
}

/** The least roles for the Canaries of the files. `no`: a mistake hides what one needs, and nothing is printed. */
export async function rightsCommand(output: Output, args: RightsArgs): Promise<ExitName> {
  const { values, items, unreadable } = readFiles(args);
  const found = unreadable.length > 0 ? { lines: unreadable } : await rightsOf(values, items, args.account);
  if ('lines' in found) {
    for (const line of found.lines) output.mistake(line);
    return 'no';
  }
  for (const note of found.notes) output.note(`Note: ${note}`);
  const { account } = found.settings;
  output.write(`${[...headOf(found), ...found.roles.flatMap((role) => roleLines(role, account))].join('\n')}\n`);
  return 'done';
}

interface Rights {
  roles: readonly LeastRole[];
  settings: RightsSettings;
  canaries: number;
  notes: readonly string[];
}

/** Everything that is printed, or a line for each mistake. */
export async function rightsOf(values: readonly Item[], items: readonly Item[], account: Account): Promise<Rights | { lines: string[] }> {
  const installation = installationOf(values, items, account);
  if ('problems' in installation) return { lines: installation.problems.map(problemLine) };
  const { namespace, name } = installation.account;
  if (!isObjectName(namespace) || !isObjectName(name))
    return {
      lines: [`Error: the service account ${namespace}/${name} is not a name of Kubernetes: write it in lower case, like serin/serin`],
    };
  const settings = await settingsOf(installation.args, installation);
  if ('problem' in settings) return { lines: [`Error: the controller would not start: ${settings.problem}`] };
  const inventory = inventoryOf(items, settings);
  const used = usedBy(inventory, settings);
  const problems = [...inventory.problems, ...used.problems];
  if (problems.length > 0) return { lines: problems.map(problemLine) };
  const canaries = inventory.canaries.length;
  if (canaries === 0) throw new CommandError('notFound', 'the files have no Canary that this controller looks after');
  const roles = leastRoles(used.needs, settings);
  const kept = roles.find(
    ({ namespace, rules }) => namespace === undefined && rules.some(({ permission }) => permission.group === 'kuma.io'),
  );
  if (kept && settings.config.namespaces.length > 0)
    return { lines: ['Error: a TrafficRoute of Kuma belongs to no namespace: remove namespaces from the values, or the provider kuma'] };
  return { roles, settings, canaries, notes: [...installation.notes, ...rightsNotes(inventory, settings)] };
}

function readFiles({ files, stdin, namespace }: RightsArgs): { values: Item[]; items: Item[]; unreadable: string[] } {
  const spent = new Spent();
  const unreadable: string[] = [];
  const values: Item[] = [];
  const items: Item[] = [];
  for (const { name, file, text } of readSources(files, stdin, spent)) {
    if ('unreadable' in text) {
      unreadable.push(`${name}: error: ${text.unreadable}`);
      continue;
    }
    const read = readDocuments({ source: name, file, text: text.content }, spent);
    unreadable.push(
      ...read.unreadable.map(({ source, line, message }) => `${source}${line === undefined ? '' : `:${line}`}: error: ${message}`),
    );
    for (const item of read.items)
      if (!isValues(item)) items.push(item.namespace === undefined && namespace !== undefined ? { ...item, namespace } : item);
      // A folder of manifests can have values of any chart.
      else if (files.includes(name)) values.push(item);
  }
  return { values, items, unreadable };
}

function problemLine({ item: { object, name, place }, path, message }: RightsProblem): string {
  const what = typeof object.kind === 'string' ? ` ${object.kind}/${name.slice(0, 80) || '?'}` : '';
  return `${place?.source}:${place?.lineOf(path)}${what}: error: ${path === '' ? '' : `${path}: `}${message}`;
}

function headOf({ settings: { account }, canaries }: Rights): string[] {
  return [
    `# Printed by serin rights: what the service account ${account.namespace}/${account.name} needs for ${canaries} ${canaries === 1 ? 'Canary' : 'Canaries'}.`,
    '# Print it again when the values or the manifests change: docs/rights.md.',
  ];
}

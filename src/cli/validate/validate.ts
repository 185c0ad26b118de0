import { printable } from '../../base/printable.ts';
import { messageTemplatesIn } from '../controller/message-templates-file.ts';
import { meantKind } from './checks/spelling.ts';
import { isSplit } from './checks/splits.ts';
import { type Item, readDocuments, type UnreadableText, unreadablePlace } from './documents.ts';
import { Spent } from './limits.ts';
import type { LiveItems } from './live.ts';
import { isFlaggerObject, type ManifestCheck, type ManifestFinding, type ManifestOptions, manifestsOf } from './manifests.ts';
import { readSources } from './sources.ts';

/** Input of `serin validate`, without its streams. */
export interface ValidateArgs
  extends Pick<ManifestOptions, 'provider' | 'strict' | 'selectorLabels' | 'requireSecretLabel' | 'allowedLocalAddresses'> {
  /** Files, folders (searched for .yaml and .yml), or `-` for `stdin`. */
  files: string[];
  stdin?: Buffer;
  /** Namespace of objects that name none. */
  namespace?: string | undefined;
  /** Judged as the objects of files are, where those have none of their name. */
  more?: readonly Item[] | undefined;
  /** Reads from the cluster the objects that those of the files refer to. */
  readCluster?: ((items: readonly Item[]) => Promise<LiveItems>) | undefined;
  /** Texts of alerts, as the controller reads them. */
  messageTemplatesFile?: string | undefined;
}

/**
 * Checks all manifests together: a line for each finding to `out`, a summary to `summary`. The exit code is 1 if there is an error, and 0 with only warnings.
 */
export async function validateCommand(
  args: ValidateArgs,
  out: (line: string) => void,
  summary: (line: string) => void = () => {},
): Promise<number> {
  const count = { error: 0, warning: 0 };
  const say = (line: string) => out(printable(line));
  const messages = messageTemplatesIn(args.messageTemplatesFile);
  if ('problem' in messages) {
    count.error += 1;
    say(messages.problem);
  }
  const { sources, items, found } = await validateFiles(args);
  const checked = items.filter(({ object }) => isFlaggerObject(object) || isSplit(object) || meantKind(object) !== undefined);
  const placed = Map.groupBy(found, ({ on: { place } }) => place);
  for (const source of sources) {
    for (const each of source.unreadable) {
      count.error += 1;
      say(unreadableLine(each));
    }
    for (const finding of source.items.flatMap(({ place }) => placed.get(place) ?? [])) {
      count[finding.severity] += 1;
      say(findingLine(finding));
    }
  }
  if (checked.length === 0 && count.error === 0 && args.files.length > 0)
    summary('no Canary, MetricTemplate, AlertProvider or TrafficSplit found');
  else summary(`${many(checked.length, 'object')} checked: ${many(count.error, 'error')}, ${many(count.warning, 'warning')}`);
  return count.error > 0 ? 1 : 0;
}

/** Findings of a run, by object. */
export interface Judged {
  sources: readonly { items: readonly Item[]; unreadable: readonly UnreadableText[] }[];
  /** Those of the files, with their namespaces. */
  items: readonly Item[];
  /** Objects of the cluster that they refer to, if it was read. */
  live: readonly Item[];
  found: readonly ManifestFinding[];
}

/** The objects of all files, and their problems. */
export async function validateFiles(args: ValidateArgs): Promise<Judged> {
  const spent = new Spent();
  const sources = readSources(args.files, args.stdin, spent).map(({ name, file, text }) =>
    'unreadable' in text
      ? { items: [], unreadable: [{ source: name, message: text.unreadable }] }
      : readDocuments({ source: name, file, text: text.content }, spent),
  );
  const own = sources.flatMap((one) => one.items);
  const more = (args.more ?? []).filter(({ object, name }) => !own.some((item) => item.object.kind === object.kind && item.name === name));
  const items = [...own, ...more].map((item) => withNamespace(item, args.namespace));
  const live = await args.readCluster?.(items);
  return { sources, items, live: live?.items ?? [], found: await findingsOf(items, args, live) };
}

const withNamespace = (item: Item, namespace: string | undefined): Item =>
  namespace !== undefined && item.namespace === undefined ? { ...item, namespace } : item;

/** In the order of the objects, and of the checks for each. */
async function findingsOf(items: readonly Item[], args: ValidateArgs, live?: LiveItems): Promise<ManifestFinding[]> {
  const { provider, strict, selectorLabels, requireSecretLabel, allowedLocalAddresses } = args;
  const options = {
    provider,
    strict,
    selectorLabels,
    requireSecretLabel,
    allowedLocalAddresses,
    ...(live && { isWhole: true, hidden: live.hidden, unread: live.unread, unserved: live.unserved }),
  };
  const manifests = manifestsOf([...items, ...(live?.items ?? [])], options);
  // The clients of metric backends and receivers come with them.
  const { checksWith } = await import('./checks/index.ts');
  const found = checksWith(await promqlCheck(manifests.items)).flatMap(([, , check]) => [...check(manifests)]);
  const placed = Map.groupBy(found, ({ on: { place } }) => place);
  return [...new Set(items.map(({ place }) => place))].flatMap((place) => placed.get(place) ?? []);
}

/** The grammar is loaded only if a query can be PromQL. */
async function promqlCheck(items: readonly Item[]): Promise<ManifestCheck> {
  const isAsked = items.some(({ object }) => isFlaggerObject(object, 'MetricTemplate') || JSON.stringify(object).includes('"query":'));
  return isAsked ? (await import('./checks/promql.ts')).promql : () => [];
}

const unreadableLine = (text: UnreadableText): string =>
  `${unreadablePlace(text)}${text.line === undefined ? '' : ' document'}: error: ${text.message}`;

function findingLine({ on: { object, name, place }, severity, path, message }: ManifestFinding): string {
  const what = `${typeof object.kind === 'string' ? object.kind : 'object'}/${name.slice(0, 80) || '?'}`;
  return `${place?.source}:${place?.lineOf(path)} ${what}: ${severity}: ${path === '' ? '' : `${path}: `}${message}`;
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

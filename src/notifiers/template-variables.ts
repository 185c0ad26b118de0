import { imageChangeText } from '../api/container-image.ts';
import type { AlertMessage } from './notifier.ts';
import { type MustachePart, mustacheParts } from './render-template.ts';

/** Variables of a template, and what each is. */
export const scalars = {
  text: 'the default text',
  name: 'name of the Canary',
  namespace: 'its namespace',
  severity: '`info`, `warn` or `error`',
  reason: 'kind of alert',
  release: 'number of the release',
  revision: 'its revision',
  step: 'steps that are reached',
  steps: 'steps that are planned',
  weight: 'percent of requests to the canary',
  duration: 'seconds that the release took',
  gate: 'webhook whose gate is closed',
  ending: 'code of what ended the release',
  approve: 'how to open it',
  page: 'page of the Canary',
  releasePage: 'page of the release',
} as const;

/** Lists, each for a section of its own, and what an entry has. */
export const lists = {
  images: ['container', 'from', 'to', 'change'],
  configs: ['.'],
  checks: ['check', 'verdict', 'value', 'limit', 'cause'],
  fields: ['name', 'value'],
} as const;

type ListName = keyof typeof lists;
type Variables = Record<keyof typeof scalars, string> & Record<ListName, readonly (string | Record<string, string>)[]>;

/** Characters of a variable, and entries of a list. */
const LONGEST = 1_000;
const MOST_ENTRIES = 30;

const isList = (name: string): name is ListName => Object.hasOwn(lists, name);

/** The mistake in a template; it is known without an alert. */
export function templateProblem(template: string): string | undefined {
  try {
    return problemIn(mustacheParts(template), undefined);
  } catch (error) {
    return `${error instanceof Error ? error.message : 'it cannot be read'}: correct the tags`;
  }
}

/** A section of a list holds no other one: the cost of a template stays that of its length. */
function problemIn(parts: readonly MustachePart[], list: ListName | undefined): string | undefined {
  for (const { kind, word, inner } of parts) {
    if (kind === '>' || kind === '=') return `{{${kind}${word}}} is not supported: write the text itself`;
    if (!['name', '&', '#', '^'].includes(kind)) continue;
    const problem = nameProblem(kind, word, list) ?? problemIn(inner, kind === '#' && isList(word) ? word : list);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function nameProblem(kind: string, word: string, list: ListName | undefined): string | undefined {
  const ofEntry: readonly string[] = list ? lists[list] : [];
  if (ofEntry.includes(word) || Object.hasOwn(scalars, word)) return undefined;
  if (!isList(word)) return `{{${word}}} is not a variable here: use one of ${[...ofEntry, ...Object.keys(scalars)].join(', ')}`;
  if (list !== undefined) return `{{#${word}}} is within {{#${list}}}: move it behind {{/${list}}}`;
  return kind === '#' || kind === '^' ? undefined : `{{${word}}} is a list: write {{#${word}}}…{{/${word}}}`;
}

/** Everything that a template can show of an alert; what it does not have is empty. */
export function variablesOf(message: AlertMessage): Variables {
  const { canary, text, severity, reason, details, fields, page, releasePage, approve } = message;
  const change = details?.change;
  return {
    ...scalarsOf({
      ...{ text, severity, reason, page, releasePage, approve },
      name: canary.name,
      namespace: canary.namespace,
      release: details?.release,
      revision: details?.revision.slice(0, 15),
      step: details?.step?.at,
      steps: details?.step?.of,
      weight: details?.weight,
      duration: details?.durationSeconds,
      gate: details?.gate?.webhook,
      ending: details?.ending?.code,
    }),
    images: listOf(change?.images, (one) => ({ container: one.container, from: one.from, to: one.to, change: imageChangeText(one) })),
    configs: (change?.configs ?? []).slice(0, MOST_ENTRIES).map(shown),
    checks: listOf(details?.checks, ({ check, verdict, value, limit, reason: cause }) => ({ check, verdict, value, limit, cause })),
    fields: listOf(fields, ({ name, value }) => ({ name, value })),
  };
}

type Shown = string | number | undefined;

const shown = (value: Shown): string =>
  String(value ?? '')
    .slice(0, LONGEST)
    .toWellFormed();

function scalarsOf<K extends string>(values: Record<K, Shown>): Record<K, string> {
  return Object.fromEntries(Object.entries<Shown>(values).map(([name, value]) => [name, shown(value)])) as Record<K, string>;
}

function listOf<T>(entries: readonly T[] | undefined, read: (entry: T) => Record<string, Shown>): Record<string, string>[] {
  return (entries ?? []).slice(0, MOST_ENTRIES).map((entry) => scalarsOf(read(entry)));
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, type PluginKind } from './kinds.ts';

/** Of every kind. */
const LAST = 'CHANGELOG.md: a line, if users can see it; then npm run check';

export type KindName = keyof typeof kinds;

/** Files to write, with their whole content, by path below the root. */
export interface NewPlugin {
  created: Readonly<Record<string, string>>;
  /** Tables outside the plug-in that name it. */
  changed: Readonly<Record<string, string>>;
  next: readonly string[];
}

/**
 * Plans the first files of a plug-in; writes nothing.
 *
 * @throws Error with the remedy when the kind or the form of the name is unknown, or a file of this name exists.
 */
export function planPlugin(root: string, kind: string | undefined, name: string | undefined): NewPlugin {
  if (kind === undefined || !Object.hasOwn(kinds, kind))
    throw new Error(
      `${kind === undefined ? 'the kind is missing' : `${kind} is not a kind`}: choose one of ${Object.keys(kinds).join(', ')}`,
    );
  const found: PluginKind = kinds[kind as KindName];
  const { form, says, example } = found.name;
  if (name === undefined || !form.test(name))
    throw new Error(
      `${name === undefined ? 'the name is missing' : `${JSON.stringify(name)} is not a name`}: use ${says}, such as ${example}`,
    );
  const words = wordsFor(name);
  const changed: Record<string, string> = {};
  for (const { file, after, text } of found.insertions) {
    const before = readFileSync(join(root, file), 'utf8');
    if (names(words(text), before)) throw new Error(`${file} names ${name} already: choose another name`);
    const now = changed[file] ?? before;
    const place = after.exec(now);
    if (place === null) throw new Error(`${file} has changed: correct its place in scripts/new/kinds.ts (${after.source})`);
    const at = place.index + place[0].length;
    changed[file] = `${now.slice(0, at)}${words(text)}${now.slice(at)}`;
  }
  const created = Object.entries(found.files).map(([skeleton, path]) => {
    const to = words(path);
    if (existsSync(join(root, to))) throw new Error(`${to} exists: choose another name, or delete it first`);
    return [to, words(readFileSync(join(import.meta.dirname, 'skeletons', `${skeleton}.txt`), 'utf8'))];
  });
  return { created: Object.fromEntries(created), changed, next: [...found.next, LAST].map(words) };
}

/** Puts the name in the place of NAME, as an identifier, and a title in the place of TITLE. */
function wordsFor(name: string): (text: string) => string {
  const identifier = name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const title = `${identifier.charAt(0).toUpperCase()}${identifier.slice(1)}`;
  return (text) => text.replaceAll('NAME', identifier).replaceAll('TITLE', title);
}

/** True if a file has the entry that this text would add. */
function names(text: string, file: string): boolean {
  const entry = /^\W*(\w+)\W*(?::|,|$)/.exec(text)?.[1];
  return entry !== undefined && entry !== 'import' && new RegExp(`^\\s*'?${entry}'?\\s*[:,]|[[{,] '?${entry}'?[,\\]} ]`, 'm').test(file);
}

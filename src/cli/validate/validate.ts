import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkManifests, companionsIn, type ManifestChecks } from './manifest-check.ts';

export interface ValidateArgs extends ManifestChecks {
  /** Files, folders (searched for .yaml and .yml), or `-` for `stdin`. */
  files: string[];
  stdin?: string;
}

/**
 * Checks manifests: one line a finding to `out`, a summary to `summary`. The exit code is 1 when there is an error, warnings alone give 0.
 */
export async function validateCommand(
  args: ValidateArgs,
  out: (line: string) => void,
  summary: (line: string) => void = () => {},
): Promise<number> {
  const count = { documents: 0, error: 0, warning: 0 };
  const all = args.files.flatMap((file) => sources(file, args.stdin));
  const texts = all.flatMap(({ text }) => ('content' in text ? [text.content] : []));
  // Everything is read a second time only where somebody is judged by it.
  const beside = texts.some((text) => /TrafficSplit|smi:|linkerd|osm/.test(text) || /^(smi|linkerd|osm)/.test(args.provider ?? ''))
    ? texts.flatMap(companionsIn)
    : [];
  for (const { name, text } of all) {
    const result = 'unreadable' in text ? undefined : checkManifests(text.content, { ...args, beside });
    if ('unreadable' in text) {
      count.error += 1;
      out(`${name}: error: ${text.unreadable}`);
    }
    for (const { line, object, severity, path, message } of result?.findings ?? []) {
      count[severity] += 1;
      out(`${name}:${line} ${object}: ${severity}: ${path === '' ? '' : `${path}: `}${message}`);
    }
    count.documents += result?.documents ?? 0;
  }
  if (count.documents === 0 && count.error === 0) summary('no Canary, MetricTemplate, AlertProvider or TrafficSplit found');
  else summary(`${many(count.documents, 'object')} checked: ${many(count.error, 'error')}, ${many(count.warning, 'warning')}`);
  return count.error > 0 ? 1 : 0;
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

type Source = { name: string; text: { content: string } | { unreadable: string } };

function sources(file: string, stdin: string | undefined): Source[] {
  if (file === '-') return [{ name: 'stdin', text: textOf(Buffer.from(stdin ?? '')) }];
  try {
    if (!statSync(file).isDirectory()) return [{ name: file, text: textOf(readFileSync(file)) }];
    return manifestsIn(file).flatMap((each) => sources(each, stdin));
  } catch (error) {
    return [{ name: file || "''", text: { unreadable: reasonOf(error) } }];
  }
}

/** A link to a folder is not followed: it may lead back to where it is. */
function manifestsIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return manifestsIn(path);
    const isManifest = /\.ya?ml$/.test(entry.name) && (entry.isFile() || (entry.isSymbolicLink() && !isFolder(path)));
    return isManifest ? [path] : [];
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Bytes that are no text would otherwise be read as a file without any of our objects. */
function textOf(bytes: Buffer): Source['text'] {
  if (bytes.includes(0)) return { unreadable: 'is no UTF-8 text: save it as UTF-8, or leave it out' };
  return { content: bytes.toString('utf8') };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'does not exist: correct the path';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read: give yourself read access';
  return error instanceof Error ? error.message : String(error);
}

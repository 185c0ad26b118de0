import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Provider } from '../api/canary.ts';
import { checkManifests } from './manifest-check.ts';

export interface ValidateArgs {
  /** Files, folders (searched for .yaml and .yml), or `-` for `stdin`. */
  files: string[];
  stdin?: string;
  /** The global traffic provider, for Canaries that name none. */
  provider?: Provider;
  /** What is wrong with a query template, if anything is. */
  checkTemplate?: (text: string) => string | undefined;
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
  for (const { name, text } of args.files.flatMap((file) => sources(file, args.stdin))) {
    const result = 'unreadable' in text ? undefined : checkManifests(text.content, args);
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
  if (count.documents === 0 && count.error === 0) summary('no Canary, MetricTemplate or AlertProvider found');
  else summary(`${many(count.documents, 'object')} checked: ${many(count.error, 'error')}, ${many(count.warning, 'warning')}`);
  return count.error > 0 ? 1 : 0;
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

type Source = { name: string; text: { content: string } | { unreadable: string } };

function sources(file: string, stdin: string | undefined): Source[] {
  if (file === '-') return [{ name: 'stdin', text: { content: stdin ?? '' } }];
  try {
    if (!statSync(file).isDirectory()) return [{ name: file, text: { content: readFileSync(file, 'utf8') } }];
    return readdirSync(file, { recursive: true, encoding: 'utf8' })
      .filter((each) => /\.ya?ml$/.test(each) && statSync(join(file, each)).isFile())
      .sort()
      .flatMap((each) => sources(join(file, each), stdin));
  } catch (error) {
    return [{ name: file, text: { unreadable: error instanceof Error ? error.message : String(error) } }];
  }
}

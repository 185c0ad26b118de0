import * as z from 'zod';
import type { JournalPart } from '../../engine/journal/journal-part.ts';
import { documentOn } from '../../reading/documents/output-version.ts';
import { type Journal, partOf } from '../../reading/journals/read-journals.ts';
import { CommandError, usageError } from '../output/exit-codes.ts';
import { oneValue } from '../validate/documents.ts';
import { readSources } from '../validate/sources.ts';

/** Characters of a file; a journal has a hundredth of it. */
const LARGEST_FILE = 20_000_000;

const JournalFile = documentOn('Journal', { release: z.int(), parts: z.array(z.unknown()).min(1).max(1_000) });

/** A journal as `serin history --journal=RELEASE -o json` prints it. */
export async function readJournalFile(file: string): Promise<Journal> {
  const parsed = JournalFile.safeParse(await readYaml(file));
  const how = 'make it with serin history NAME --journal=RELEASE -o json';
  if (!parsed.success) throw usageError(`${file} is not a journal: ${parsed.error.issues[0]?.path.join('.') || 'kind'} differs; ${how}`);
  const { namespace, name, release, parts } = parsed.data;
  const read = parts.map((part, index): JournalPart => {
    const found = partOf(part);
    if ('problem' in found) throw new CommandError('unanswered', `${file}, parts[${index}]: ${found.problem}; ${how}`);
    return found.part;
  });
  return { namespace, name, run: release, parts: read, bytes: 0, problems: [] };
}

/** The one JSON or YAML value of a file. */
export async function readYaml(file: string): Promise<unknown> {
  const [source] = readSources([file], undefined);
  if (!source || 'unreadable' in source.text)
    throw usageError(`${file} ${source && 'unreadable' in source.text ? source.text.unreadable : 'is empty'}`);
  const { content } = source.text;
  if (content.length > LARGEST_FILE) throw usageError(`${file} has more than ${LARGEST_FILE / 1e6} MB: it is not a journal or a spec`);
  const read = oneValue(content);
  if ('problem' in read) throw usageError(`${file} is not JSON or YAML: ${read.problem}`);
  return read.value;
}

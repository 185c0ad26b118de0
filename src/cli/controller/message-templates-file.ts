import { type MessageTemplates, MOST_FILE, readMessageTemplates } from '../../notifiers/message-templates.ts';
import { readBounded } from '../validate/sources.ts';

/** In UTF-8, at most. */
const BYTES_OF_CHARACTER = 4;

/** The templates of a file, or the error that names it; none without a file. */
export function messageTemplatesIn(file: string | undefined): { templates?: MessageTemplates } | { problem: string } {
  if (!file) return {};
  try {
    const read = readMessageTemplates(readBounded(file, MOST_FILE * BYTES_OF_CHARACTER).toString('utf8'));
    return 'problem' in read ? { problem: `${file}: ${read.problem}` } : read;
  } catch (error) {
    return {
      problem: `${file}: it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}): correct the path, or make it readable`,
    };
  }
}

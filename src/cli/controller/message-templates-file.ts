import { readFileSync } from 'node:fs';
import { type MessageTemplates, readMessageTemplates } from '../../notifiers/message-templates.ts';

/** The templates of a file, or the error that names it; none without a file. */
export function messageTemplatesIn(file: string | undefined): { templates?: MessageTemplates } | { problem: string } {
  if (!file) return {};
  try {
    const read = readMessageTemplates(readFileSync(file, 'utf8'));
    return 'problem' in read ? { problem: `${file}: ${read.problem}` } : read;
  } catch (error) {
    return {
      problem: `${file}: it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}): correct the path, or make it readable`,
    };
  }
}

import * as z from 'zod';
import type { WriteFigures } from './request-pacing.ts';

/** Annotation of the Lease, and label by which the Lease is found, while the API server is slow. */
export const slowAnnotation = 'serin.dev/slow-api-server';
/** Resources that one note names, those with the most writes waiting. */
const MOST_NAMED = 5;
const MOST_CHARACTERS = 2_000;

const SlowResource = z.object({
  resource: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,252}$/),
  waiting: z.int().min(0),
  limit: z.int().min(1),
});
const SlowNote = z.array(SlowResource).max(MOST_NAMED);
export type SlowNote = z.infer<typeof SlowNote>;

/** Text for the annotation, `undefined` if nothing waits and no limit is cut. */
export function slowNote(slow: readonly WriteFigures[]): string | undefined {
  if (slow.length === 0) return undefined;
  const named = slow.toSorted((a, b) => b.waiting - a.waiting).slice(0, MOST_NAMED);
  return JSON.stringify(named.map(({ resource, waiting, limit }): SlowNote[number] => ({ resource, waiting, limit })));
}

/** Empty for a text of another form. */
export function readSlowNote(text: string | undefined): SlowNote {
  if (text === undefined || text.length > MOST_CHARACTERS) return [];
  try {
    return SlowNote.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return []; // another writer's text
  }
}

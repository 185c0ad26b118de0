import { deflateSync, inflateSync } from 'node:zlib';
import * as z from 'zod';
import type { KubeObject } from '../api/kube-object.ts';
import { ownerAnnotation } from '../api/names.ts';
import { anchorReference, canaryLabelValue, recordKind } from './anchor.ts';

/** Finds the journals of one Canary; its value is that of `canaryLabel`. */
export const journalLabel = 'serin.dev/journal';
/** Number of the release. */
const runAnnotation = 'serin.dev/journal-run';
/** Start of the part: epoch milliseconds. */
const beganAnnotation = 'serin.dev/journal-began';

/** Maximum number of characters of the packed text; a part of Serin's has a tenth of it. */
const LARGEST_PACKED = 256 * 1024;
/** Maximum number of bytes of the unpacked text. */
const LARGEST_UNPACKED = 1024 * 1024;
const MOST_NESTED = 60;

const JournalData = z.object({ encoding: z.literal('zlib+base64'), text: z.string().max(LARGEST_PACKED) });

/** Maximum number of parts of one release that one process stores before its end. */
export const MOST_PARTS = 8;

/** The metadata of a part. */
export interface JournalHead {
  canary: { namespace: string; name: string; uid: string };
  run: number;
  beganMs: number;
}

/** The text of a part for a record; undefined if it would be too large. */
export function packJournal(part: JournalHead): string | undefined {
  const text = deflateSync(JSON.stringify(part)).toString('base64');
  return text.length > LARGEST_PACKED ? undefined : text;
}

/** The ControllerRevision with one packed part of a journal. `anchor` owns it. */
export function renderJournal({ canary, run, beganMs }: JournalHead, text: string, anchor: { name: string; uid: string }): KubeObject {
  const owner = { ...anchorReference(anchor), controller: true, blockOwnerDeletion: false };
  return {
    ...recordKind,
    metadata: {
      name: `${prefixOf(canary)}${run}-${beganMs.toString(36)}`,
      namespace: canary.namespace,
      labels: { [journalLabel]: canaryLabelValue(canary.name) },
      annotations: { [ownerAnnotation]: canary.uid, [runAnnotation]: String(run), [beganAnnotation]: String(beganMs) },
      ownerReferences: [owner],
    },
    revision: run,
    data: { encoding: 'zlib+base64', text } satisfies z.infer<typeof JournalData>,
  };
}

/** Label selector of the journals of a Canary. */
export function journalsOf({ name }: { name: string }): string {
  return `${journalLabel}=${canaryLabelValue(name)}`;
}

/** A record's content, as JSON. Anyone who may write in its namespace can have written it: it is unpacked within bounds, and never trusted. */
export function readJournal({ data }: KubeObject): { json: unknown } | { problem: string } {
  const parsed = JournalData.safeParse(data);
  if (!parsed.success) return { problem: 'data is not a packed journal' };
  let text: string;
  try {
    text = inflateSync(Buffer.from(parsed.data.text, 'base64'), { maxOutputLength: LARGEST_UNPACKED }).toString();
  } catch {
    return { problem: `data.text cannot be unpacked, or holds more than ${LARGEST_UNPACKED / 1024} KiB` };
  }
  if (nestingOf(text) > MOST_NESTED) return { problem: `data.text is nested more than ${MOST_NESTED} levels deep` };
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { problem: 'data.text is not JSON' };
  }
}

/** One stored part, according to its record's metadata. */
export interface StoredPart {
  /** Name of the record. */
  name: string;
  run: string;
  beganMs: number;
}

/** The parts of this Canary among records. A label on another object does not make it a journal. */
export function storedParts(records: readonly KubeObject[], canary: JournalHead['canary']): StoredPart[] {
  return records
    .filter((record) => isJournalOf(record, canary))
    .map((record) => ({
      name: record.metadata.name,
      run: runOf(record),
      beganMs: Number(record.metadata.annotations?.[beganAnnotation]) || 0,
    }));
}

/** Records beyond the newest `limit` releases, and beyond the first and last parts of one release. */
export function partsToPrune(stored: readonly StoredPart[], limit: number): StoredPart[] {
  const newestMs = (parts: readonly StoredPart[]): number => Math.max(...parts.map(({ beganMs }) => beganMs));
  const newestFirst = [...Map.groupBy(stored, ({ run }) => run).values()]
    .map((parts) => parts.toSorted((a, b) => a.beganMs - b.beganMs))
    .sort((a, b) => newestMs(b) - newestMs(a));
  return newestFirst.flatMap((parts, index) =>
    index < limit ? parts.slice(MOST_PARTS, Math.max(MOST_PARTS, parts.length - MOST_PARTS)) : parts,
  );
}

/** By name and owner, as Serin writes them; a record of an earlier Canary of the same name does not match. */
export function isJournalOf({ metadata }: KubeObject, canary: JournalHead['canary']): boolean {
  return metadata.name.startsWith(prefixOf(canary)) && metadata.annotations?.[ownerAnnotation] === canary.uid;
}

export const runOf = ({ metadata }: KubeObject): string => metadata.annotations?.[runAnnotation] ?? '';

const prefixOf = ({ name }: { name: string }): string => `${name.slice(0, 220)}-serin-journal-`;

/** Maximum of brackets that are open at once; brackets in texts also count. */
function nestingOf(text: string): number {
  let [now, most] = [0, 0];
  for (const character of text) {
    if (character === '[' || character === '{') most = Math.max(most, ++now);
    else if (character === ']' || character === '}') now -= 1;
  }
  return most;
}

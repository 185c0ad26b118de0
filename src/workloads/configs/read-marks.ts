import type { SeenConfig } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { configChecksum, secretChecksum } from './checksum.ts';
import type { ConfigKey } from './config-ref.ts';
import { hasSameContent } from './copies.ts';
import { asRecorded, type FoundConfigs } from './read-configs.ts';
import type { SeenConfigs } from './revision.ts';
import { type Salt, saltIdOf } from './salt.ts';
import { isTracked } from './tracking.ts';

/** By what the Secrets of one Canary are compared with its record. */
export interface SecretMarks {
  salt: Salt;
  /** What was recorded is what was promoted, so that the primary's copies hold it. */
  isPromoted: boolean;
  /** The copy that the primary reads of this Secret; undefined: there is none, or it cannot be read. */
  copyOf(name: string): Promise<KubeObject | undefined>;
}

/** A config that was read, as it can be compared with any record. Kept in memory alone. */
export interface ReadMark {
  /** A Secret by the salt of now. */
  seen: SeenConfig;
  /** A Secret as Flagger and earlier versions of Serin record it. */
  unsalted?: string;
  /** The Secret holds what was recorded with a salt that is lost. */
  isAsBefore?: boolean;
}

export type ReadMarks = ReadonlyMap<ConfigKey, ReadMark>;

/** Whether a salt is needed to say what was found. */
export function hasTrackedSecret(found: FoundConfigs): boolean {
  return found.values().some((object) => object !== undefined && isSalted(object));
}

/** `marks` where `hasTrackedSecret`; `before`: as they were last read. */
export async function marksOf(
  found: FoundConfigs,
  recorded: SeenConfigs,
  marks: SecretMarks | undefined,
  before: ReadonlyMap<string, ReadMark> = new Map(),
): Promise<ReadMarks> {
  const read = [...found].map(async ([key, object]) => [key, await markOf(object, recorded[key], marks, before.get(key))] as const);
  return new Map(await Promise.all(read));
}

async function markOf(
  object: KubeObject | undefined,
  recorded: SeenConfig | undefined,
  marks: SecretMarks | undefined,
  before: ReadMark | undefined,
): Promise<ReadMark> {
  if (object === undefined) return { seen: {} };
  const { uid = '', resourceVersion = '' } = object.metadata;
  if (!isTracked(object)) return { seen: { uid, resourceVersion } };
  if (marks === undefined || !isSalted(object)) return { seen: { uid, resourceVersion, checksum: configChecksum(object) } };
  const read = { seen: { uid, resourceVersion, checksum: secretChecksum(object, marks.salt) }, unsalted: configChecksum(object) };
  const id = saltIdOf(recorded?.checksum);
  if (id === undefined || id === marks.salt.id) return read;
  if (before?.isAsBefore === true) return { ...read, isAsBefore: before.seen.checksum === read.seen.checksum };
  return { ...read, isAsBefore: await isAsBefore(object, recorded?.uid !== uid, marks) };
}

/**
 * Without its salt a checksum says nothing, and that starts no release: the primary's copy is compared. Where there is none that says
 * it, an object that was written since has changed, and one that was made again, as all are of a backup, has not.
 */
async function isAsBefore(secret: KubeObject, isMadeAgain: boolean, { isPromoted, copyOf }: SecretMarks): Promise<boolean> {
  const copy = await copyOf(secret.metadata.name);
  if (copy !== undefined && hasSameContent(copy, secret)) return true;
  return copy !== undefined && isPromoted ? false : isMadeAgain;
}

/** A config as it counts beside its record: what holds the same keeps the checksum that was recorded, whatever made it. */
export function asMarked(key: string, { seen, unsalted, isAsBefore }: ReadMark, recorded: SeenConfig | undefined): SeenConfig {
  const { checksum, uid, resourceVersion } = recorded ?? {};
  const isSameObject = uid === seen.uid && resourceVersion === seen.resourceVersion;
  const isSame = isSameObject || (saltIdOf(checksum) === undefined ? checksum === unsalted : isAsBefore === true);
  if (checksum !== undefined && unsalted !== undefined && isSame) return { ...seen, checksum };
  return asRecorded(key, seen, recorded);
}

/** All of them beside their records. */
export function allMarked(marks: ReadMarks, recorded: SeenConfigs): SeenConfigs {
  return Object.fromEntries([...marks].map(([key, mark]) => [key, asMarked(key, mark, recorded[key])]));
}

/** All of them as Flagger and earlier versions of Serin record them. */
export function allUnsalted(marks: ReadMarks): SeenConfigs {
  return Object.fromEntries(
    [...marks].map(([key, { seen, unsalted }]) => [key, unsalted === undefined ? seen : { ...seen, checksum: unsalted }]),
  );
}

const isSalted = (object: KubeObject): boolean => object.kind === 'Secret' && isTracked(object);

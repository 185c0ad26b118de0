import type { SeenConfig } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { configChecksum, secretChecksum } from './checksum.ts';
import type { ConfigKey } from './config-ref.ts';
import { hasSameContent } from './copies.ts';
import { asRecorded, type FoundConfigs } from './read-configs.ts';
import type { SeenConfigs } from './revision.ts';
import { type Salt, saltIdOf } from './salt.ts';
import { isTracked } from './tracking.ts';

/** Data for the comparison of one Canary's Secrets with its record. */
export interface SecretMarks {
  salt: Salt;
  /** The recorded revision was promoted, so that the primary's copies have its content. */
  isPromoted: boolean;
  /** The copy of this Secret that the primary reads; undefined if it does not exist or cannot be read. */
  copyOf(name: string): Promise<KubeObject | undefined>;
}

/** A config that was read, in a form that can be compared with any record. Kept only in memory. */
export interface ReadMark {
  /** For a Secret, by the present salt. */
  seen: SeenConfig;
  /** Checksum of a Secret as Flagger and earlier versions of Serin record it. */
  unsalted?: string;
  /** The Secret has the content that was recorded with a lost salt. */
  isAsBefore?: boolean;
}

export type ReadMarks = ReadonlyMap<ConfigKey, ReadMark>;

/** A salt is needed for one of these configs. */
export function hasTrackedSecret(found: FoundConfigs): boolean {
  return found.values().some((object) => object !== undefined && isSalted(object));
}

/** `marks` is set if `hasTrackedSecret`; `before` has the last marks. */
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
 * Without its salt a checksum cannot be compared, and that must start no release: the primary's copy is compared. If no copy decides, a Secret that was written
 * since has changed, and a Secret that was created again, as from a backup, has not.
 */
async function isAsBefore(secret: KubeObject, isMadeAgain: boolean, { isPromoted, copyOf }: SecretMarks): Promise<boolean> {
  const copy = await copyOf(secret.metadata.name);
  if (copy !== undefined && hasSameContent(copy, secret)) return true;
  return copy !== undefined && isPromoted ? false : isMadeAgain;
}

/** A config as it counts beside its record: the same content keeps the recorded checksum, made in any way. */
export function asMarked(key: string, { seen, unsalted, isAsBefore }: ReadMark, recorded: SeenConfig | undefined): SeenConfig {
  const { checksum, uid, resourceVersion } = recorded ?? {};
  const isSameObject = uid === seen.uid && resourceVersion === seen.resourceVersion;
  const isSame = isSameObject || (saltIdOf(checksum) === undefined ? checksum === unsalted : isAsBefore === true);
  if (checksum !== undefined && unsalted !== undefined && isSame) return { ...seen, checksum };
  return asRecorded(key, seen, recorded);
}

/** All configs beside their records. */
export function allMarked(marks: ReadMarks, recorded: SeenConfigs): SeenConfigs {
  return Object.fromEntries([...marks].map(([key, mark]) => [key, asMarked(key, mark, recorded[key])]));
}

/** All configs as Flagger and earlier versions of Serin record them. */
export function allUnsalted(marks: ReadMarks): SeenConfigs {
  return Object.fromEntries(
    [...marks].map(([key, { seen, unsalted }]) => [key, unsalted === undefined ? seen : { ...seen, checksum: unsalted }]),
  );
}

const isSalted = (object: KubeObject): boolean => object.kind === 'Secret' && isTracked(object);

import * as z from 'zod';

/** Maximum number of containers of a pod that are remembered. */
export const MOST_IMAGES = 10;
/** Number of characters of an image that are remembered: a name, a tag and a digest fit. */
export const LONGEST_IMAGE = 512;
/** Number of characters of an image that are shown. */
const MOST_SHOWN = 120;

/** One container of a pod template, and its image. */
export interface ContainerImage {
  container: string;
  image: string;
}

/** A container whose image a release changes. Without `from` it is new, without `to` it is removed. */
export const ImageChange = z.object({ container: z.string(), from: z.string().optional(), to: z.string().optional() });
export type ImageChange = z.infer<typeof ImageChange>;

/** An image for display: with a short digest, and at most one line long. */
export function shortImage(image: string): string {
  const short = image.replace(/@sha256:([0-9a-f]{12})[0-9a-f]*$/, '@sha256:$1…');
  const letters = Array.from(short);
  return letters.length > MOST_SHOWN ? `…${letters.slice(1 - MOST_SHOWN).join('')}` : short;
}

/** A change for display; the repository appears once if it is the same. */
export function imageChangeText({ from, to }: ImageChange): string {
  if (from === undefined) return `${shortImage(to ?? '')} (new container)`;
  if (to === undefined) return `${shortImage(from)} (container removed)`;
  const [before, after] = [partsOf(from), partsOf(to)];
  if (before.repository !== after.repository || !before.version || !after.version) return `${shortImage(from)} → ${shortImage(to)}`;
  return `${shortImage(before.repository)} ${shortVersion(before.version)} → ${shortVersion(after.version)}`;
}

/** The version begins at the last colon after the last slash (a port comes before a slash), or at the digest. */
function partsOf(image: string): { repository: string; version: string } {
  const digest = image.indexOf('@');
  const named = digest < 0 ? image : image.slice(0, digest);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const end = colon < 0 ? named.length : colon;
  return { repository: named.slice(0, end), version: image.slice(end).replace(/^:/, '') };
}

function shortVersion(version: string): string {
  return shortImage(version).replace(/^@/, '');
}

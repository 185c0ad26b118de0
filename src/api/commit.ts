import { isRecord } from '../base/json.ts';

/** The commit of a version, on its workload or the pod template. */
export const commitAnnotation = 'serin.dev/commit';

/** Keys in order of precedence. The later keys are in use beside Serin. */
export const commitKeys = [commitAnnotation, 'app.kubernetes.io/commit', 'org.opencontainers.image.revision'] as const;

/** Number of characters that are kept: those of a hash. */
export const LONGEST_COMMIT = 64;
/** Number of characters that are read; no branch and hash need more. */
const LONGEST_TEXT = 1_000;
/** Kept instead of a text that is not a hash, so that no text of users gets into the status. */
const NO_HASH = '?';
const DIGEST = 'sha256:';

/**
 * The hash that names the commit of a workload, or a mark for a text that is not a hash; `undefined` if nothing names it. For each key the pod template comes
 * before the object itself, and an annotation before a label.
 */
export function namedCommit(object: { metadata: object; spec?: unknown }): string | undefined {
  const template = isRecord(object.spec) && isRecord(object.spec.template) ? object.spec.template.metadata : undefined;
  for (const key of commitKeys) {
    for (const metadata of [template, object.metadata]) {
      const text = textOf(metadata, 'annotations', key) ?? textOf(metadata, 'labels', key);
      if (text !== undefined) return kept(text);
    }
  }
  return undefined;
}

function kept(text: string): string {
  const found = commitHash(text);
  if ('hash' in found) return found.hash;
  return isDigest(text) ? DIGEST : NO_HASH;
}

function textOf(metadata: unknown, part: 'annotations' | 'labels', key: string): string | undefined {
  const values = isRecord(metadata) ? metadata[part] : undefined;
  const text = isRecord(values) ? values[key] : undefined;
  return typeof text === 'string' && text.trim() !== '' ? text.slice(0, LONGEST_TEXT).trim() : undefined;
}

const lastPart = (text: string): string => text.slice(text.lastIndexOf('@') + 1).toLowerCase();
const isDigest = (text: string): boolean => lastPart(text).startsWith(DIGEST);

const HASH = /^[0-9a-f]{7,64}$/;
const REMEDY = `write 7 to 64 hexadecimal digits, or BRANCH@sha1:HASH as Flux does, into the annotation ${commitAnnotation}`;

/** The hash in such a text: hexadecimal digits, or those behind `sha1:` in the form of Flux. The problem does not quote the text. */
export function commitHash(text: string): { hash: string } | { problem: string } {
  const last = lastPart(text);
  if (isDigest(text)) return { problem: `the commit of the release is the digest of an artifact: ${REMEDY}` };
  const hash = last.startsWith('sha1:') ? last.slice('sha1:'.length) : text.toLowerCase();
  return HASH.test(hash) ? { hash } : { problem: `the commit of the release is not the hash of a commit: ${REMEDY}` };
}

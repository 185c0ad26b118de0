import { isRecord } from '../base/json.ts';

/** The commit of a version, on its workload or the pod template. */
export const commitAnnotation = 'serin.dev/commit';

/** Keys in order of precedence. The later keys are in use beside Serin. */
export const commitKeys = [commitAnnotation, 'app.kubernetes.io/commit', 'org.opencontainers.image.revision'] as const;

/** Number of characters that are kept; no branch and hash need more. */
export const LONGEST_COMMIT = 300;

/**
 * The text that names the commit of a workload; `undefined` if none does. For each key the pod template comes before the object itself, and an annotation
 * before a label.
 */
export function namedCommit(object: { metadata: object; spec?: unknown }): string | undefined {
  const template = isRecord(object.spec) && isRecord(object.spec.template) ? object.spec.template.metadata : undefined;
  for (const key of commitKeys) {
    for (const metadata of [template, object.metadata]) {
      const text = textOf(metadata, 'annotations', key) ?? textOf(metadata, 'labels', key);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

function textOf(metadata: unknown, part: 'annotations' | 'labels', key: string): string | undefined {
  const values = isRecord(metadata) ? metadata[part] : undefined;
  const text = isRecord(values) ? values[key] : undefined;
  return typeof text === 'string' && text.trim() !== '' ? text.trim().slice(0, LONGEST_COMMIT).toWellFormed() : undefined;
}

const HASH = /^[0-9a-f]{7,64}$/;
const REMEDY = `write 7 to 64 hexadecimal digits, or BRANCH@sha1:HASH as Flux does, into the annotation ${commitAnnotation}`;

/** The hash in such a text: hexadecimal digits, or those behind `sha1:` in the form of Flux. The problem does not quote the text. */
export function commitHash(text: string): { hash: string } | { problem: string } {
  const last = text.slice(text.lastIndexOf('@') + 1).toLowerCase();
  if (last.startsWith('sha256:')) return { problem: `the commit of the release is the digest of an artifact: ${REMEDY}` };
  const hash = last.startsWith('sha1:') ? last.slice('sha1:'.length) : text.toLowerCase();
  return HASH.test(hash) ? { hash } : { problem: `the commit of the release is not the hash of a commit: ${REMEDY}` };
}

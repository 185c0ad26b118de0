import * as z from 'zod';
import type { KubeObject } from './kube-object.ts';
import { keptAnnotation } from './names.ts';

const Name = z.string().min(1).max(320);

/**
 * A primary that keeps serving after the deletion of its Canary (I19), as stored in the annotation `serin.dev/kept-primary` of target and anchor: JSON, so that
 * a person can also read it. Anyone who may write in the namespace can have written it.
 */
export const KeptPrimary = z.object({
  /** Kind and name of the object that serves; of Knative the Revision. */
  primary: Name,
  /** Kind and name of the object whose revision was not promoted. */
  target: Name,
  /** The revision that the primary serves. */
  promoted: Name,
  /** The revision of the target, which `serin.dev/accept` must name. */
  unpromoted: Name,
  /** RFC 3339 time of the record. */
  since: z.string().max(40),
  /** Ways to end it. */
  next: z.string().max(600),
});
export type KeptPrimary = z.infer<typeof KeptPrimary>;

/** Undefined if the text cannot be read. */
export function readKeptPrimary(text: string | undefined): KeptPrimary | undefined {
  if (text === undefined || text.length > 4_000) return undefined;
  try {
    return KeptPrimary.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The kept primary that a target or an anchor records. */
export function keptPrimaryOn({ metadata }: Pick<KubeObject, 'metadata'>): KeptPrimary | undefined {
  return readKeptPrimary(metadata.annotations?.[keptAnnotation]);
}

export const writeKeptPrimary = (kept: KeptPrimary): string => JSON.stringify(kept);

/** The ways to end it, for every message that says that a primary is kept. */
export function waysOn(canary: { namespace: string; name: string }, target: string): string {
  const { namespace, name } = canary;
  return `push a change of ${target}, return it to the promoted revision, create a Canary over it again, or hand over the current target with: serin accept ${name} -n ${namespace}`;
}

/** The result of a push, or of `serin accept`, until the target is ready. */
export function handingOver(target: string): string {
  return `${target} gets the traffic once it is ready; if it never is, push another change of it, return it to the promoted revision, or create a Canary over it again`;
}

/** One sentence: the kept primary, and the ways to end it. */
export function keptText({ primary, target, next }: Pick<KeptPrimary, 'primary' | 'target' | 'next'>, canary = 'its Canary'): string {
  return `${canary} was deleted while ${target} held a revision that was not promoted, so ${primary} keeps serving; ${next}`;
}

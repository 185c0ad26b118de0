import type { Canary } from '../../api/canary.ts';
import { type KeptPrimary, writeKeptPrimary } from '../../api/kept-primary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { acceptAnnotation, keptAnnotation } from '../../api/names.ts';
import type { DepsOf } from '../controller-deps.ts';
import { targetRefOf } from '../facts/gather-facts.ts';

/** Says on the target what is kept, for its user. */
export async function markTarget(canary: Canary, kept: KeptPrimary, { cluster, signal }: DepsOf<'cluster'>): Promise<void> {
  const annotations = { [keptAnnotation]: writeKeptPrimary(kept) };
  await cluster.patch(targetRefOf(canary), { metadata: { annotations } }, { signal });
}

/** Removes the marks of a kept primary from the target. */
export async function unmark(canary: Canary, target: KubeObject, { cluster, signal }: DepsOf<'cluster'>): Promise<void> {
  const marks = [keptAnnotation, acceptAnnotation].filter((key) => target.metadata.annotations?.[key] !== undefined);
  if (marks.length === 0) return;
  const annotations = Object.fromEntries(marks.map((key) => [key, null]));
  await cluster.patch(targetRefOf(canary), { metadata: { annotations } }, { signal });
}

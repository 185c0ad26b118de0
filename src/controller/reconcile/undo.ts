import * as z from 'zod';
import { type Applier, appliers } from '../../api/appliers.ts';
import type { Canary } from '../../api/canary.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ApiError, isConflict } from '../../kube/errors.ts';
import { workloadFor } from '../../workloads/index.ts';
import { targetRefOf } from '../facts/gather-facts.ts';
import type { AnswerContext } from './answer-context.ts';

/** Tools that keep objects as a repository says: what we would write, they would write back. */
const GITOPS: readonly Applier[] = appliers.filter(({ name }) => name === 'Flux' || name === 'Argo CD');

/** Others also write the target: its scale, and notes of its controller in it. */
const MOST_TRIES = 5;

type UndoContext = Pick<AnswerContext, 'canary' | 'cluster' | 'anchors' | 'signal'>;
type Undone = { outcome: 'written' } | { outcome: 'refused'; reason: string };

/**
 * Puts the target's template back to the promotion before the last (E74), while it still is `revision`. Repeated after a crash it finds its own write. Only a
 * definite answer counts. Anything else is thrown, and the question comes again.
 */
export async function undo(revision: string, context: UndoContext): Promise<Undone> {
  let done = await attempt(revision, context);
  for (let tries = 1; tries < MOST_TRIES && done.outcome === 'moved'; tries += 1) done = await attempt(revision, context);
  return done.outcome === 'moved' ? refused(done.reason) : done;
}

async function attempt(
  revision: string,
  { canary, cluster, anchors, signal }: UndoContext,
): Promise<Undone | { outcome: 'moved'; reason: string }> {
  const ref = targetRefOf(canary);
  const workload = workloadFor(canary.spec.targetRef);
  if (ref.kind !== 'Deployment' || 'unsupported' in workload) return refused(`a ${ref.kind} cannot be undone, only a Deployment`);
  const target = await cluster.get(ref, { signal });
  if (!target) return refused('the target does not exist');
  const owner = gitOpsOwner(target);
  if (owner) return refused(`${owner} keeps ${ref.kind} ${ref.name} and would put it back: revert the change where ${owner} reads it`);
  const before = (await anchors.templates.promotions(canary, signal)).find((one) => one.revision !== revision);
  if (!before) return refused('no earlier promotion is recorded');
  if (!before.target)
    return refused('the template that the target had at the earlier promotion is not known: it was promoted before Serin recorded it');
  const wanted = workload.revision({ ...target, spec: { ...specOf(target), template: before.target } });
  const pinned = canary.status?.release?.template ?? revision;
  const current = workload.revision(target);
  if (wanted === pinned)
    return refused('the template was the same at the earlier promotion: its ConfigMaps and Secrets differed, which are not kept');
  if (current === wanted) return { outcome: 'written' };
  if (current !== pinned) return refused(`${ref.kind} ${ref.name} was changed at the same moment`);
  try {
    await cluster.patch(
      ref,
      [
        { op: 'test', path: '/metadata/resourceVersion', value: target.metadata.resourceVersion },
        { op: 'replace', path: '/spec/template', value: before.target },
      ],
      { signal },
    );
    return { outcome: 'written' };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // The version moved between the read and the write, which a failed `test` reports as 422: the current version is read again.
    if (isConflict(error) || (error instanceof ApiError && error.status === 422))
      return { outcome: 'moved', reason: `${ref.kind} ${ref.name} could not be written: ${error.message}` };
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429)
      return refused(`${ref.kind} ${ref.name} could not be written: ${error.message}`);
    throw error;
  }
}

/** The target's template, kept beside each promotion where it can be restored. */
export function undoableTemplate(canary: Canary, target: KubeObject): PodTemplate | undefined {
  return canary.spec.targetRef.kind === 'Deployment' ? specOf<PodWorkloadSpec>(target).template : undefined;
}

function gitOpsOwner({ metadata }: KubeObject): string | undefined {
  const marks = { ...metadata.labels, ...metadata.annotations };
  const fields = z
    .array(z.looseObject({ manager: z.string().optional() }))
    .catch([])
    .parse(metadata.managedFields ?? []);
  return GITOPS.find(
    (one) =>
      one.marks.some((mark) => mark in marks) || fields.some(({ manager }) => manager !== undefined && one.managers.includes(manager)),
  )?.name;
}

const refused = (reason: string): Undone => ({ outcome: 'refused', reason });

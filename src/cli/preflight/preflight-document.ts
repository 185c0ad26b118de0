import * as z from 'zod';
import { applierOf, applierRemedy } from '../../api/appliers.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import type { ArrivalPlan, Loss } from '../../arrival/plan.ts';
import { documentOf, documentOn, headOf, outputVersion } from '../../reading/documents/output-version.ts';
import { guardStates } from './read-guard.ts';

const ObjectOf = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
});

/** An object that Serin makes or changes. */
const WrittenOf = ObjectOf.extend({ done: z.boolean().describe('True if the object is already as it will be.') });

/** Something that knows the application and would stop to, or begin to. */
export const LossReport = z.object({
  code: z.string().describe('From a closed list (docs/reasons.md), which grows.'),
  object: ObjectOf,
  field: z.string().optional().describe('Path in the object.'),
  refused: z.boolean().describe('True if the Canary is refused for it, false for a warning.'),
  detail: z.string().describe('The rule that would be broken.'),
  remedy: z.string().describe('Edit that keeps it.'),
});

/** Effects of one Canary on a living application at its arrival. */
export const Preflight = documentOn('Preflight', {
  verdict: z
    .enum(['clean', 'warnings', 'refused', 'unusable'])
    .describe('unusable: the Canary or its target cannot be checked; see problem.'),
  problem: z.string().optional(),
  arrived: z.boolean().describe('True if its primary exists already: only an edit that takes requests from routes is refused.'),
  writes: z.array(WrittenOf).describe('Objects that Serin makes or changes.'),
  routes: z
    .array(
      WrittenOf.extend({
        rules: z.array(z.string()).describe('Rules that lead to the application, as their user wrote them.'),
        destinations: z.array(z.string()).describe('Services that replace the apex Service in them.'),
      }),
    )
    .describe('Routes of users in which Serin writes the destinations of these rules, and nothing else.'),
  ignored: z
    .array(
      z.object({
        field: z.string().describe('Path in the Canary.'),
        line: z.string().optional().describe('File and line; absent if the Canary is in a cluster.'),
        detail: z.string().describe('Reason why it has no effect, and the remedy.'),
      }),
    )
    .describe('Fields of the Canary that have no effect.'),
  keeps: z.array(ObjectOf).describe('Objects that refer to the application, before the arrival and after it.'),
  follows: z.array(WrittenOf).describe('Services whose selector follows that of the apex Service.'),
  companions: z
    .array(z.object({ source: ObjectOf, name: z.string(), done: WrittenOf.shape.done }))
    .describe('Objects for the primary that Serin makes beside these.'),
  losses: z.array(LossReport).describe('Refusals first.'),
  appliers: z
    .array(
      z.object({
        object: ObjectOf,
        applier: z.string().describe('The tool that applies it.'),
        field: z.string().describe('JSON pointer of the field that Serin writes.'),
        remedy: z.string().describe('Remedy that keeps the tool from writing it back.'),
      }),
    )
    .describe('Objects in which Serin writes a field, and which a known tool applies.'),
  unchecked: z.array(z.object({ apiVersion: z.string(), kind: z.string(), why: z.string() })).describe('Kinds that could not be read.'),
  guard: z
    .enum(guardStates)
    .optional()
    .describe('State of the apex guard, which keeps the selectors of its Services (docs/apex-guard.md); absent if no cluster was read.'),
  differences: z
    .array(z.object({ id: z.string().describe('In docs/differences.md.'), sentence: z.string() }))
    .describe('Differences from Flagger that apply to this Canary.'),
  manifests: z.array(z.record(z.string(), z.unknown())).describe('Objects that keep what would be lost, ready for Git.'),
});
export type Preflight = z.infer<typeof Preflight>;

export const PreflightList = documentOf('PreflightList', { items: z.array(Preflight) });
export type PreflightList = z.infer<typeof PreflightList>;

type Named = { namespace: string; name: string };

/** Document of a Canary that cannot be checked. */
export function unusable(of: Named, problem: string): Preflight {
  const none = {
    arrived: false,
    writes: [],
    routes: [],
    ignored: [],
    keeps: [],
    follows: [],
    companions: [],
    losses: [],
    appliers: [],
    unchecked: [],
    differences: [],
    manifests: [],
  };
  return { ...headOf('Preflight', of), verdict: 'unusable', problem, ...none };
}

interface Looked {
  arrived: boolean;
  /** Existing objects. */
  objects: readonly KubeObject[];
  /** Objects of the user's that the routes repeat. */
  carried: readonly KubeObject[];
  differences: Preflight['differences'];
  routes: Preflight['routes'];
  ignored: Preflight['ignored'];
  /** Objects of the user's with a field that Serin writes. */
  written: readonly KubeObject[];
}

export function preflightOf(
  of: Named,
  plan: ArrivalPlan,
  { arrived, objects, carried, differences, written, routes, ignored }: Looked,
): Preflight {
  const { writes, keeps, follows, companions, losses, unchecked } = plan;
  const there = new Set(objects.map((object) => refKey(refOf(object))));
  const isKept = (ref: ObjectRef) => keeps.some((one) => refKey(one) === refKey(ref));
  return {
    ...headOf('Preflight', of),
    verdict: losses.some(({ isRefused }) => isRefused) ? 'refused' : losses.length > 0 ? 'warnings' : 'clean',
    arrived,
    writes: writes.map((ref) => ({ ...ref, done: there.has(refKey(ref)) && (arrived || !isKept(ref)) })),
    routes,
    ignored,
    keeps: [...keeps, ...carried.map(refOf)],
    follows: follows.map(({ object, isFollowing }) => ({ ...object, done: isFollowing })),
    companions: companions.map(({ source, object }) => ({ source, name: object.metadata.name, done: there.has(refKey(refOf(object))) })),
    losses: losses.map(lossReport),
    appliers: written.flatMap(applierReport),
    unchecked: [...unchecked],
    differences,
    manifests: manifestsOf(losses),
  };
}

export function preflightList(items: Preflight[]): PreflightList {
  return { apiVersion: outputVersion, kind: 'PreflightList', items };
}

function lossReport({ code, object, field, isRefused, detail, remedy }: Loss): z.infer<typeof LossReport> {
  return { code, object: { ...(object as ObjectRef) }, ...(field !== undefined && { field }), refused: isRefused, detail, remedy };
}

function applierReport(object: KubeObject): Preflight['appliers'] {
  const applier = applierOf(object);
  const ref = refOf(object);
  const lines = applier && applierRemedy(applier, ref);
  return lines ? [{ object: ref, applier: applier.name, ...lines }] : [];
}

const manifestsOf = (losses: readonly Loss[]): KubeObject[] => losses.flatMap(({ manifest }) => manifest ?? []);

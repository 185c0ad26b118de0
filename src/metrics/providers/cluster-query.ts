import * as z from 'zod';

const Status = z.object({ kind: z.literal('Status'), reason: z.string().regex(/^[A-Za-z]{1,40}$/) });

/** The one-word reason of a Kubernetes API error, as `NotFound`; its message can show details that the reader must not see. */
export const statusReason = (json: unknown): string | undefined => Status.safeParse(json).data?.reason;

/**
 * Reason for which a query of resources that are read with Serin's own permissions is refused (DF612): the author of a template may only see those of its
 * namespace.
 */
export function foreignNamespaceProblem(asked: string, own: string): string | undefined {
  if (asked === own) return undefined;
  const [there, here] = [asked, own].map((name) => JSON.stringify(name.slice(0, 80)));
  return `the query names namespace ${there}, and can read only namespace ${here}, that of its MetricTemplate: correct spec.query, or create the template there`;
}

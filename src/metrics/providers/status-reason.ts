import * as z from 'zod';

const Status = z.object({ kind: z.literal('Status'), reason: z.string().regex(/^[A-Za-z]{1,40}$/) });

/** The one-word reason of a Kubernetes API error, as `NotFound`; its message can show details that the reader must not see. */
export const statusReason = (json: unknown): string | undefined => Status.safeParse(json).data?.reason;

import * as z from 'zod';

const Status = z.object({ kind: z.literal('Status'), reason: z.string().regex(/^[A-Za-z]{1,40}$/) });

/** Of a refusal by a Kubernetes API the reason in one word, as `NotFound`; its sentence may tell of what the reader may not see (05-W37). */
export const statusReason = (json: unknown): string | undefined => Status.safeParse(json).data?.reason;

import * as z from 'zod';

/** Exactly one of the four forms. */
export const StringMatch = z.union([
  z.strictObject({ exact: z.string() }),
  z.strictObject({ prefix: z.string() }),
  z.strictObject({ suffix: z.string() }),
  z.strictObject({ regex: z.string() }),
]);
export type StringMatch = z.infer<typeof StringMatch>;

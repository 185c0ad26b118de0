import * as z from 'zod';
import { LongText } from './limits.ts';

/** Exactly one of the four forms. */
export const StringMatch = z.union([
  z.strictObject({ exact: LongText }),
  z.strictObject({ prefix: LongText }),
  z.strictObject({ suffix: LongText }),
  z.strictObject({ regex: LongText }),
]);
export type StringMatch = z.infer<typeof StringMatch>;

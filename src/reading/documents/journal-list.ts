import * as z from 'zod';
import { documentOn, Time } from './output-version.ts';

/** Output of `serin history --journal`. */
export const JournalList = documentOn('JournalList', {
  items: z.array(
    z.object({
      release: z.number().describe('Number of the release: status.release.run.'),
      revision: z.string().optional(),
      began: Time.optional(),
      ended: Time.optional(),
      outcome: z
        .string()
        .optional()
        .describe('Phase with which the release ended; absent if it continues, or its last steps were not stored.'),
      engines: z.array(z.string()).describe('Versions of Serin that recorded it.'),
      steps: z.number(),
      records: z.number().describe('ControllerRevisions that hold it.'),
      bytes: z.number().describe('Of their data.'),
      problems: z.array(z.string()).describe('Reasons why it cannot be used.'),
    }),
  ),
});
export type JournalList = z.infer<typeof JournalList>;

import * as z from 'zod';
import { cutText } from '../base/cut-text.ts';
import { defined } from '../base/defined.ts';
import { ImageChange } from './container-image.ts';
import { Ending } from './ending.ts';

/** Number of releases that are remembered. */
export const MOST_PAST_RELEASES = 10;
/** Number of characters of the cause in words; the condition, the event and the alert have all of it. */
const LONGEST_CAUSE = 200;
/** Number of images that are named. */
const MOST_IMAGES_NAMED = 3;

/** A release that has ended without a promotion: shown to users, never decided on. A promotion is recorded with its template, in a ControllerRevision. */
export const PastRelease = z.object({
  run: z.int(),
  revision: z.string(),
  startedMs: z.number(),
  images: z.array(ImageChange).max(MOST_IMAGES_NAMED).optional(),
  ending: Ending.pick({ code: true, atMs: true, cause: true, metric: true, webhook: true, requester: true, detail: true }),
});
export type PastRelease = z.infer<typeof PastRelease>;

/** The part of a release that is remembered: bounded, since ten of them are part of the status. */
export function pastRelease({ run, revision, startedMs, images = [], ending }: PastRelease): PastRelease {
  const { code, atMs, cause, metric, webhook, requester, detail } = ending;
  return {
    ...{ run, revision, startedMs },
    ...(images.length > 0 && { images: images.slice(0, MOST_IMAGES_NAMED) }),
    ending: { code, atMs, ...defined({ cause, metric, webhook, requester }), detail: cutText(detail, LONGEST_CAUSE) },
  };
}

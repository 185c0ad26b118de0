import { asks } from './changes/asks.ts';
import { checks } from './changes/checks.ts';
import { ends } from './changes/ends.ts';
import { revisions } from './changes/revisions.ts';
import { steps } from './changes/steps.ts';
import { verbs } from './changes/verbs.ts';

/** Effects of transitions on the memory; the chart names them. */
export const changes = { ...revisions, ...asks, ...checks, ...steps, ...ends, ...verbs };
export type ChangeName = keyof typeof changes;

import * as z from 'zod';

/** Of what `-o json` and `-o yaml` print. Fields may be added; none goes or changes its meaning within a version. */
export const outputVersion = 'cli.serin.dev/v1';

export const version = z.literal(outputVersion);
/** RFC 3339, in UTC. */
export const Time = z.iso.datetime().describe('RFC 3339, in UTC.');

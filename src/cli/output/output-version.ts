import * as z from 'zod';

/** Version of the output of `-o json` and `-o yaml`. Within a version fields may be added; no field is removed or changes its meaning. */
export const outputVersion = 'cli.serin.dev/v1';

/** The field `apiVersion` of every document. */
export const version = z.literal(outputVersion);
/** RFC 3339, in UTC. */
export const Time = z.iso.datetime().describe('RFC 3339, in UTC.');

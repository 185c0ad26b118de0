import * as z from 'zod';

/** Version of the output of `-o json` and `-o yaml`. Within a version fields can be added; no field is removed or changes its meaning. */
export const outputVersion = 'cli.serin.dev/v1';

/** The field `apiVersion` of every document. */
export const versionField = z.literal(outputVersion);

/** A document with its fields. */
export const documentOf = <K extends string, F extends z.ZodRawShape>(kind: K, fields: F) =>
  z.object({ apiVersion: versionField, kind: z.literal(kind), ...fields });

/** A document on one object, with its fields. */
export const documentOn = <K extends string, F extends z.ZodRawShape>(kind: K, fields: F) =>
  documentOf(kind, { namespace: z.string(), name: z.string(), ...fields });

/** First fields of every document on one object. */
export const headOf = <K extends string>(kind: K, { namespace = '', name }: { namespace?: string; name: string }) =>
  ({ apiVersion: outputVersion, kind, namespace, name }) as const;

/** RFC 3339, in UTC. */
export const Time = z.iso.datetime().describe('RFC 3339, in UTC.');

/** An object by its name. */
export const ObjectName = z.object({ kind: z.string(), namespace: z.string().optional(), name: z.string() });

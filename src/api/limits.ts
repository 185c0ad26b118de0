import * as z from 'zod';

/** Maximum number of characters of a query, as written and after its template is filled in. */
export const LONGEST_QUERY = 65_536;
/** Maximum number of metrics, webhooks or alerts of a Canary: each costs requests at every interval. */
export const MOST_CHECKS = 100;
/** Maximum number of entries of any other list, and of a map. */
export const MOST_ENTRIES = 1000;

/** Names, durations and the like. Far longer than any of them; without a limit one field could hold a megabyte. */
export const ShortText = z.string().max(1024);

/** A text with its own form; `problem` is also the message for values that are not texts. */
export const shortTextOf = (form: RegExp, problem: string) => z.string(problem).max(1024).regex(form, problem);
/** Addresses, some of which carry tokens. */
export const Address = z.string().max(8192);
/** Queries, patterns, values of headers and annotations. */
export const LongText = z.string().max(LONGEST_QUERY);

/** A Secret in the namespace of the object that names it. */
export const SecretRef = z.object({ name: ShortText.describe('Name of the Secret.') });

/** A list of at most `most` entries. */
export const listOf = <T extends z.ZodType>(item: T, most = MOST_ENTRIES) => z.array(item).max(most);

/** A map by names that the user chooses. */
export const mapOf = <T extends z.ZodType>(value: T) =>
  z
    .record(z.string(), value)
    .check(({ value: map, issues }) => {
      if (Object.keys(map).length > MOST_ENTRIES)
        issues.push({ code: 'too_big', origin: 'object', maximum: MOST_ENTRIES, inclusive: true, input: map });
    })
    .meta({ maxProperties: MOST_ENTRIES });

/** Marks a JSON Schema node that keeps, with the nodes below it, the types and limits of Flagger's CRD. Other numbers become `number`, without limits. */
export const strictMark = 'x-strict';

/** A number that is also whole in the CRD. */
export const Integer = z.int().meta({ [strictMark]: true });

/** Seconds, minutes … as Go duration text. The CRD's loose pattern is kept so that no stored manifest becomes invalid. */
export const Duration = ShortText.regex(/^[0-9]+(m|s)/, 'it must begin with a number of minutes or seconds, as in 30s or 1m');
/** Admits all forms in use; `1min` is Graphite's. */
export const WindowText = ShortText.regex(
  /^[0-9]+(h|m|s)/,
  'it must begin with a number of hours, minutes or seconds, as in 30s, 1m or 1h',
);

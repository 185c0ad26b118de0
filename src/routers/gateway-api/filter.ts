/** One filter of a rule or backend, as raw JSON. */
export type Filter = { type: string } & Record<string, unknown>;

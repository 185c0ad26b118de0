/** JSON of an object in which a test reads or edits any field. */
// biome-ignore lint/suspicious/noExplicitAny: a test that reads another shape than there is fails
export type Raw = any;

export const raw = (object: object | undefined): Raw => object;

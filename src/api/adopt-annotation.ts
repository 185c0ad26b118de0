/** Allows Serin to take over an object of the right name that it did not make. */
export const adoptAnnotation = 'serin.dev/adopt';
/** The field of an object that may be handed over to Serin. */
export const adoptField = `metadata.annotations[${adoptAnnotation}]`;

/** Allows Serin to take over an object of the right name that it did not make. */
export const adoptAnnotation = 'serin.dev/adopt';
/** Field of that annotation, for messages. */
export const adoptField = `metadata.annotations[${adoptAnnotation}]`;
/** `"true"` on a route that Serin or Flagger has taken over completely: it becomes the user's again, with the application split in it. */
export const splitAnnotation = 'serin.dev/split';

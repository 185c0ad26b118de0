/** Parts of the text of a revert request. */
export const revertParts = ['title', 'body'] as const;
export type RevertPart = (typeof revertParts)[number];

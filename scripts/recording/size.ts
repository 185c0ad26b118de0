/** The terminal of the recording. */
export const SIZE = { columns: 80, rows: 24 } as const;

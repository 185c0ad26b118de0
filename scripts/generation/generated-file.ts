export interface GeneratedFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** Where to edit instead, for the message when the committed file differs. */
  readonly source: string;
  /** Only some fields are generated, and the rest is written by hand: such a file need not say who wrote it. */
  readonly isPart?: true;
}

/** Each scripts/generate-*.ts exports one as `generate`. It writes nothing: files are written when all generators have succeeded. */
export type Generate = () => readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>;

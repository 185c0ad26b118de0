import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

const Row = z.string().min(1);

/** What one page of the reference asks for, each row in a few words of ours. */
const RowPage = z.strictObject({
  title: z.string(),
  rows: z.record(Row, z.string()),
  /** Rows that tell a defect of the established controller: having the row means to do otherwise. */
  defects: z.array(Row).default([]),
  /** Rows that Serin does otherwise on purpose, by the section of docs/differences.md that says why. */
  differs: z.record(z.string(), z.array(Row)).default({}),
  /** Rows that are not there, and what there is instead. */
  absent: z.record(Row, z.string()).default({}),
});
/** `number` is the page's, `03`. */
export type RowPage = z.infer<typeof RowPage> & { readonly number: string };

const FOLDER = join(import.meta.dirname, 'rows');

export function readRowPages(): RowPage[] {
  return readdirSync(FOLDER)
    .toSorted()
    .map((file) => ({ number: file.slice(0, 2), ...RowPage.parse(parse(readFileSync(join(FOLDER, file), 'utf8'))) }));
}

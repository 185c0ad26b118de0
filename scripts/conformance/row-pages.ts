import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

const Row = z.string().min(1);

/** The rows of one page of docs/rules, each in a few words. */
const RowPage = z.strictObject({
  title: z.string(),
  rows: z.record(Row, z.string()),
  /** Rows that describe a defect of Flagger: having the row means to do otherwise. */
  defects: z.array(Row).default([]),
  /** Rows that Serin does otherwise on purpose, by the section of docs/differences.md that says why. */
  differs: z.record(z.string(), z.array(Row)).default({}),
  /** Rows that do not exist, each with its replacement. */
  absent: z.record(Row, z.string()).default({}),
});
export type RowPage = z.infer<typeof RowPage> & {
  /** The page's, `03`. */
  readonly number: string;
  /** Name of the page in docs/rules that states the rows: `03-workloads`. */
  readonly name: string;
  /** Rows that state no behaviour which a test could show, and why. */
  readonly notApplicable: Readonly<Record<string, string>>;
};

/** By the number of the page, then by row: why no test could show it. */
const NotApplicable = z.record(z.string().regex(/^0[1-7]$/), z.record(Row, z.string().min(20)));

const FOLDER = join(import.meta.dirname, 'rows');
const NOT_APPLICABLE = join(import.meta.dirname, 'not-applicable.yaml');

export function readRowPages(): RowPage[] {
  const notApplicable = NotApplicable.parse(parse(readFileSync(NOT_APPLICABLE, 'utf8')));
  return readdirSync(FOLDER)
    .toSorted()
    .map((file) => {
      const number = file.slice(0, 2);
      return {
        number,
        name: file.replace('.yaml', ''),
        notApplicable: notApplicable[number] ?? {},
        ...RowPage.parse(parse(readFileSync(join(FOLDER, file), 'utf8'))),
      };
    });
}

import type { RowPage } from './row-pages.ts';

/** Sections, as `04-4.12`, describe shapes and are rows of no table; `15.1.4` is one. */
const SECTION = /^0[1-7]-\d+(\.\d+)?$/;

/** Errors of the data: unknown rows, and rows that a test shows although the data call them absent or not applicable. */
export function faultsOf(pages: readonly RowPage[], filesByRow: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const known = new Set(pages.flatMap(({ number, rows }) => Object.keys(rows).map((row) => `${number}-${row}`)));
  const numbers = new Set(pages.map(({ number }) => number));
  const unknown = [...filesByRow]
    .filter(([row]) => numbers.has(row.slice(0, 2)) && !known.has(row) && !SECTION.test(row))
    .flatMap(([row, files]) => [...files].map((file) => `${file} has the row ${row}, which does not exist`));
  return [...unknown, ...pages.flatMap((page) => faultsOfLists(page, known, filesByRow))];
}

function faultsOfLists(page: RowPage, known: ReadonlySet<string>, filesByRow: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const id = (row: string) => `${page.number}-${row}`;
  const listed: readonly [string, readonly string[]][] = [
    ['defects', page.defects],
    ['absent', Object.keys(page.absent)],
    ['not applicable', Object.keys(page.notApplicable)],
    ...Object.entries(page.differs).map(([section, rows]): [string, string[]] => [`differs: ${section}`, rows]),
  ];
  const unknown = listed.flatMap(([list, rows]) =>
    rows.filter((row) => !known.has(id(row))).map((row) => `${list}: the row ${id(row)} is none`),
  );
  const shown = [...Object.keys(page.absent), ...Object.keys(page.notApplicable)].flatMap((row) =>
    [...(filesByRow.get(id(row)) ?? [])].map((file) => `${id(row)} is listed as absent or not applicable, but ${file} shows it`),
  );
  const twice = Object.keys(page.notApplicable).filter((row) => page.absent[row] !== undefined);
  return [...unknown, ...shown, ...twice.map((row) => `${id(row)} is listed as absent and as not applicable`)];
}

import stringWidth from 'string-width';

/** Code units that are read for each column: marks that are stacked on one character take no column, and there can be thousands. */
const UNITS_PER_COLUMN = 8;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Columns that a text takes on a terminal: two for each character of Chinese, Japanese and Korean and for each emoji, none for accents. */
export const columnsOf = (text: string): number => stringWidth(text, { countAnsiEscapeCodes: true });

/** The text, filled with spaces to so many columns. */
export const padded = (text: string, columns: number): string => `${text}${' '.repeat(Math.max(0, columns - columnsOf(text)))}`;

/** Tests if the text takes at most so many columns. Its cost depends on the columns and not on the text. */
export function fits(text: string, columns: number): boolean {
  return text.length <= UNITS_PER_COLUMN * columns && columnsOf(text) <= columns;
}

/** The characters from the beginning of a text that take at most so many columns; a wide one is never halved. */
export function firstColumns(text: string, columns: number): string {
  return within(charactersOf(text.slice(0, mostUnits(columns))), columns).join('');
}

/** The same from the end of a text. */
export function lastColumns(text: string, columns: number): string {
  const end = text.slice(Math.max(0, text.length - mostUnits(columns)));
  return within(charactersOf(end).toReversed(), columns).toReversed().join('');
}

const mostUnits = (columns: number): number => UNITS_PER_COLUMN * Math.max(0, columns);
const charactersOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

function within(characters: readonly string[], columns: number): string[] {
  let left = columns;
  const end = characters.findIndex((one) => {
    left -= columnsOf(one);
    return left < 0;
  });
  return end === -1 ? [...characters] : characters.slice(0, end);
}

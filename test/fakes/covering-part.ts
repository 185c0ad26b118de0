/** One in `oneIn` cells of each row and of each column of a matrix; another seed gives other cells. */
export interface Part {
  oneIn: number;
  seed: number;
}

export const WHOLE: Part = { oneIn: 1, seed: 0 };

/** `PART_ONE_IN=1` plays the whole matrix, and `PART_SEED=1` other cells. */
export const partOf = (oneIn: number): Part => ({
  oneIn: Number(process.env.PART_ONE_IN ?? oneIn),
  seed: Number(process.env.PART_SEED ?? 0),
});

/** Every row has a chosen cell if there are `oneIn` columns or more, and every column if there are so many rows. */
export const isChosen = ({ oneIn, seed }: Part, row: number, column: number): boolean => (row + column + seed) % oneIn === 0;

/** Text for titles: the way to play a failed part again. */
export const titleOf = ({ oneIn, seed }: Part): string => (oneIn === 1 ? 'all cells' : `one cell in ${oneIn}, PART_SEED=${seed}`);

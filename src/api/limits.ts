/** Characters of a query, as it is written and as it is asked. */
export const LONGEST_QUERY = 65_536;

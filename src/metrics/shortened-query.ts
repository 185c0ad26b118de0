/** Enough for the built-in queries; an event can contain 1024 characters. */
const MOST_SHOWN = 400;

/** A query for display. */
export function shortened(query: string): string {
  const line = query.trim().replace(/\s+/g, ' ');
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}

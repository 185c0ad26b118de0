/** An action of a query template, `{{ … }}`, contains this word. Linear in the query, which is foreign text. */
export function namesPlaceholder(query: string, word: string): boolean {
  return query
    .split('}}')
    .slice(0, -1)
    .some((part) => {
      const text = part.slice(part.lastIndexOf('}') + 1);
      const open = text.indexOf('{{');
      return open !== -1 && text.slice(open).split(/\W+/).includes(word);
    });
}

/** A text with its percent escapes decoded; undefined where they are not escapes of UTF-8. */
export function decodedUri(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

import { StringDecoder } from 'node:string_decoder';

/** Cuts a byte stream into its lines of JSON. A chunk can end anywhere within a character or a line. */
export function createJsonLines(onValue: (value: unknown) => void): { push(chunk: Buffer): void } {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = []; // of the line not ended yet: joined once, because a line can be megabytes in many chunks
  return {
    push(chunk) {
      const text = decoder.write(chunk);
      let from = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        parts.push(text.slice(from, end));
        const line = parts.join('').trim();
        parts = [];
        from = end + 1;
        if (line !== '') onValue(JSON.parse(line));
      }
      if (from < text.length) parts.push(text.slice(from));
    },
  };
}

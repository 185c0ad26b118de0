import type { IncomingMessage } from 'node:http';

/** The body as text, `undefined` if it is too long. */
export async function bodyOf(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > mostBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** One field of a JSON object, `undefined` if it has no such field. */
export function fieldOf(body: string, name: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null && Object.hasOwn(parsed, name)
      ? (parsed as Record<string, unknown>)[name]
      : undefined;
  } catch {
    return undefined;
  }
}

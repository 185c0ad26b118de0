import type { Clock } from '../base/clock.ts';

/** Milliseconds. Scrapes that come together, or follow each other at once, get the same answer. */
const SHARED_MS = 250;

interface Rendered {
  contentType: string;
  /** One for all: a socket that is read slowly keeps no copy. */
  text: Buffer;
}

/** Renders once for all requests that arrive meanwhile. A failure is not kept. */
export function sharedRender(render: () => Promise<{ contentType: string; text: string }>, clock: Clock): () => Promise<Rendered> {
  let last: Promise<Rendered> | undefined;
  const start = async (): Promise<Rendered> => {
    const { contentType, text } = await render();
    return { contentType, text: Buffer.from(text) };
  };
  const forget = () => {
    last = undefined;
  };
  return () => {
    if (last) return last;
    last = start();
    last.then(() => clock.setTimer(SHARED_MS, forget), forget);
    return last;
  };
}

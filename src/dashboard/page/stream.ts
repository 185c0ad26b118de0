import { useEffect, useState } from 'preact/hooks';
import { OWN_HEADER } from '../own-headers.ts';
import { eventReader } from './events.ts';
import { request, requestOrLogIn } from './proof.ts';

const AGAIN_AFTER_MS = 3_000;

/** Until the stream ends. An `EventSource` could not send the proof of the session. */
async function follow(
  path: string,
  { signal, onOpen, heed }: { signal: AbortSignal; onOpen(): void; heed(name: string, data: string): void },
): Promise<void> {
  const { ok, body } = await requestOrLogIn(path, { signal });
  if (!ok || body === null) return;
  onOpen();
  const pieces = body.pipeThrough(new TextDecoderStream()).getReader();
  const read = eventReader();
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read())
    for (const { name, data } of read(piece.value)) heed(name, data);
}

/** Follows an event stream while the page is visible: a browser opens only six connections to a server for all its tabs. */
export function useStream(path: string, events: Readonly<Record<string, (data: never) => void>>): { isLost: boolean } {
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let current = new AbortController();
    let again: number | undefined;
    const open = () => {
      const { signal } = current;
      // It ends by a failure of the server, of the network, or of this page, which has closed it.
      const onEnd = () => {
        if (signal.aborted) return;
        setLost(true);
        again = setTimeout(open, AGAIN_AFTER_MS) as unknown as number;
      };
      const heed = (name: string, data: string) => events[name]?.(JSON.parse(data) as never);
      follow(path, { signal, onOpen: () => setLost(false), heed }).then(onEnd, onEnd);
    };
    const close = () => {
      clearTimeout(again);
      current.abort();
      current = new AbortController();
    };
    const onVisibility = () => {
      close();
      if (!document.hidden) open();
    };
    document.addEventListener('visibilitychange', onVisibility);
    onVisibility();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    };
    // The handlers only set state.
  }, [path]);
  return { isLost };
}

/** Result of a request of the page. */
export type Loaded<T> = { state: 'loading' } | { state: 'done'; value: T } | { state: 'failed'; message: string };

/** Reads JSON once for each path. */
export function useJson<T>(path: string): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  useEffect(() => {
    let isGone = false;
    setLoaded({ state: 'loading' });
    asked<T>(requestOrLogIn(path)).then((next) => {
      if (!isGone) setLoaded(next);
    });
    return () => {
      isGone = true;
    };
  }, [path]);
  return loaded;
}

/** Requests a verb from the server. */
export const post = <T>(path: string, body: object): Promise<Loaded<T>> =>
  asked<T>(
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [OWN_HEADER]: '1' },
      body: JSON.stringify(body),
    }),
  );

async function asked<T>(request: Promise<Response>): Promise<Loaded<T>> {
  try {
    const response = await request;
    if (response.ok) return { state: 'done', value: (await response.json()) as T };
    return { state: 'failed', message: (await response.text()).trim() };
  } catch (error) {
    return { state: 'failed', message: String(error) };
  }
}

import { useEffect, useState } from 'preact/hooks';

/** Follows an event stream while the page is visible: a browser opens only six connections to a server for all its tabs. */
export function useStream(path: string, events: Readonly<Record<string, (data: never) => void>>): { isLost: boolean } {
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let source: EventSource | undefined;
    let again: number | undefined;
    const open = () => {
      source = new EventSource(path);
      source.onopen = () => setLost(false);
      source.onerror = () => {
        setLost(true);
        // After an answer other than 200 the browser does not try again.
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, 3_000) as unknown as number;
      };
      for (const [name, heed] of Object.entries(events))
        source.addEventListener(name, (event) => heed(JSON.parse((event as MessageEvent<string>).data) as never));
    };
    const close = () => {
      clearTimeout(again);
      source?.close();
      source = undefined;
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
    // The handlers set state alone.
  }, [path]);
  return { isLost };
}

/** What a request of the page came to. */
export type Loaded<T> = { state: 'loading' } | { state: 'done'; value: T } | { state: 'failed'; message: string };

/** Reads JSON once for each path. */
export function useJson<T>(path: string): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  useEffect(() => {
    let isGone = false;
    setLoaded({ state: 'loading' });
    asked<T>(fetch(path)).then((next) => {
      if (!isGone) setLoaded(next);
    });
    return () => {
      isGone = true;
    };
  }, [path]);
  return loaded;
}

/** Asks the server for a verb. */
export const post = <T>(path: string, body: object): Promise<Loaded<T>> =>
  asked<T>(
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-serin-dashboard': '1' },
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

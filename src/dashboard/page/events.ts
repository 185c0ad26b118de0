/** One event of a stream. */
export interface StreamEvent {
  name: string;
  data: string;
}

/** Parses the events of an event stream from pieces of any size; an incomplete event is kept for the next piece. */
export function eventReader(): (piece: string) => StreamEvent[] {
  let rest = '';
  return (piece) => {
    const parts = (rest + piece).split('\n\n');
    rest = parts.pop() ?? '';
    return parts.flatMap((part) => {
      const event: StreamEvent = { name: '', data: '' };
      for (const line of part.split('\n')) {
        if (line.startsWith('event: ')) event.name = line.slice('event: '.length);
        if (line.startsWith('data: ')) event.data = line.slice('data: '.length);
      }
      return event.name === '' ? [] : [event];
    });
  };
}

import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { eachChunk } from './each-chunk.ts';

const read = (stream: PassThrough, onChunk?: (text: string) => void) => {
  const texts: string[] = [];
  const done = eachChunk(stream, (chunk) => {
    texts.push(String(chunk));
    onChunk?.(String(chunk));
  });
  return { texts, done };
};

describe('each chunk of a stream', () => {
  it('is handed over in order, until the end', async () => {
    const stream = new PassThrough();
    const { texts, done } = read(stream);
    stream.write('one');
    stream.end('two');
    await done;
    expect(texts).toEqual(['one', 'two']);
  });

  it('ends with the error of the stream', async () => {
    const stream = new PassThrough();
    const { done } = read(stream);
    stream.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    await expect(done).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('ends with an error when the stream closes before its end', async () => {
    const stream = new PassThrough();
    const { done } = read(stream);
    stream.write('half');
    stream.destroy();
    await expect(done).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
  });

  it('ends with the error of the reader, closes the stream, and passes on no further chunk', async () => {
    const stream = new PassThrough();
    const { texts, done } = read(stream, () => {
      throw new Error('unreadable');
    });
    stream.write('one');
    stream.write('two');
    await expect(done).rejects.toThrow('unreadable');
    expect(texts).toEqual(['one']);
    expect(stream.destroyed).toBe(true);
  });
});

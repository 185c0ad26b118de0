import { describe, expect, it } from 'vitest';
import { canary, dependencies, emptyServer, endMs } from '../../test/fakes/measuring.ts';
import { ScrapedPods } from '../../test/fakes/scraped-pods.ts';
import type { Compared, ToCompare } from '../judge/compared.ts';
import { compare } from './measure.ts';

/** A pod of the canary and two of the primary, which are scraped every five seconds; `atS` is seconds from the first scrape. */
async function started() {
  const prometheus = await emptyServer();
  const pods = new ScrapedPods(prometheus);
  pods.start('c1', 'podinfo');
  pods.start('p1', 'podinfo-primary');
  pods.start('p2', 'podinfo-primary');
  for (const instance of ['c1', 'p1', 'p2']) pods.answer(instance, '200', 1000);
  const atMs = (seconds: number) => endMs - 60_000 + seconds * 1000;
  pods.scrape(atMs(0));
  const read = async (fromS: number, toS: number, more: Partial<ToCompare> = {}): Promise<Compared | undefined> => {
    const asked = { metric: 'errors', fromMs: atMs(fromS), ...more };
    const [answer] = await compare(canary([]), [asked], { ...dependencies(), nowMs: atMs(toS) });
    return answer;
  };
  const sidesOf = async (fromS: number, toS: number) => {
    const answer = await read(fromS, toS);
    if (answer?.kind !== 'window') throw new Error(JSON.stringify(answer));
    return { canary: answer.window.canary, primary: answer.window.primary };
  };
  return { pods, atMs, read, sidesOf };
}

const none = { requests: 0, failures: 0 };

describe('counts of errors', () => {
  it('20.3: windows that follow each other count each request once, whenever they begin', async () => {
    const { pods, atMs, sidesOf } = await started();
    for (const second of [5, 10, 15]) {
      pods.answer('c1', '200', 30);
      pods.answer('c1', '503', 3);
      pods.answer('p1', '200', 40);
      pods.answer('p2', '404', 30);
      pods.scrape(atMs(second));
    }
    const windows = await Promise.all([sidesOf(0, 7.123), sidesOf(7.123, 9), sidesOf(9, 12), sidesOf(12, 16)]);
    expect(windows.map(({ canary }) => canary)).toEqual([
      { requests: 33, failures: 3 },
      none,
      { requests: 33, failures: 3 },
      { requests: 33, failures: 3 },
    ]);
    expect(windows[0]?.primary).toEqual({ requests: 70, failures: 0 });
  });

  it('20.3: each pod has counts by its sidecar, and those without requests are left out', async () => {
    const { pods, atMs, read } = await started();
    pods.answer('p2', '500', 2);
    pods.answer('p2', '200', 8);
    pods.scrape(atMs(5));
    expect(await read(0, 5)).toEqual({
      metric: 'errors',
      kind: 'window',
      endsAtSample: true,
      window: {
        ...{ fromMs: atMs(0), toMs: atMs(5), canary: none, primary: { requests: 10, failures: 2 } },
        pods: { canary: [], primary: [{ name: 'p2', requests: 10, failures: 2 }] },
      },
    });
  });

  it.each<[string, (pods: ScrapedPods, atMs: (s: number) => number) => void]>([
    [
      'whose last scrape was lost',
      (pods, atMs) => {
        pods.answer('p1', '200', 50);
        pods.scrape(atMs(5), ['p1']);
      },
    ],
    [
      'that is gone',
      (pods, atMs) => {
        pods.remove('p1');
        pods.scrape(atMs(5));
      },
    ],
    [
      'that has restarted, also where it has more requests than before',
      (pods, atMs) => {
        pods.start('p1', 'podinfo-primary');
        pods.answer('p1', '200', 10);
        pods.scrape(atMs(3));
        pods.answer('p1', '200', 2000);
        pods.scrape(atMs(5));
      },
    ],
    [
      'of which an answer is not counted any more',
      (pods, atMs) => {
        pods.start('p1', 'podinfo-primary');
        pods.answer('p1', '404', 10);
        pods.scrape(atMs(5));
      },
    ],
  ])('20.3: a pod %s gives nothing to the window', async (_, happens) => {
    const { pods, atMs, sidesOf } = await started();
    pods.answer('p2', '200', 7);
    happens(pods, atMs);
    expect((await sidesOf(0, 5)).primary).toEqual({ requests: 7, failures: 0 });
  });

  it('20.3: a pod that is new, or comes again after a lost scrape, is counted from the next window on', async () => {
    const { pods, atMs, sidesOf } = await started();
    pods.start('p3', 'podinfo-primary');
    pods.answer('p3', '200', 500);
    pods.scrape(atMs(5), ['p1']);
    pods.scrape(atMs(10));
    expect((await sidesOf(0, 5)).primary).toEqual(none);
    expect((await sidesOf(5, 10)).primary).toEqual(none);
    for (const instance of ['p1', 'p2', 'p3']) pods.answer(instance, '200', 4);
    pods.scrape(atMs(15));
    expect((await sidesOf(10, 15)).primary).toEqual({ requests: 12, failures: 0 });
  });

  it.each<[string, number, (pods: ScrapedPods, atMs: (s: number) => number) => void]>([
    ['ends', 0, (pods) => pods.forget('p1', '404')],
    [
      'was missing at its begin, and had come again',
      5,
      (pods, atMs) => {
        pods.forget('p1', '404');
        pods.scrape(atMs(5));
        pods.answer('p1', '404', 1000);
      },
    ],
  ])('20.3: an instance with series of more than a pod is left out of a window in which one of them %s', async (_, fromS, happens) => {
    const { pods, atMs, sidesOf } = await started();
    pods.answer('p1', '404', 1000);
    pods.scrape(atMs(1));
    happens(pods, atMs);
    pods.answer('p1', '200', 3000);
    pods.scrape(atMs(10));
    expect((await sidesOf(fromS || 1, 10)).primary).toEqual(none);
  });

  it('20.3: a Prometheus whose clock is half a minute behind loses no request: a window ends with its newest sample', async () => {
    const { pods, atMs, read } = await started();
    let fromS = 0;
    const counted: number[] = [];
    for (let second = 5; second <= 60; second += 5) {
      for (const instance of ['c1', 'p1']) pods.answer(instance, '200', 10);
      pods.scrape(atMs(second));
      const answer = await read(fromS, second + 32);
      if (answer?.kind !== 'window') throw new Error(JSON.stringify(answer));
      counted.push(answer.window.canary.requests);
      fromS = (answer.window.toMs - atMs(0)) / 1000;
      expect(fromS).toBe(second);
    }
    expect(counted).toEqual(counted.map(() => 10));
    expect((await read(60, 100))?.kind, 'nothing new: the window ends now').toBe('window');
    expect(await read(60, 100)).toMatchObject({ window: { canary: none, toMs: atMs(100) } });
  });

  it('20.3: a replica of Prometheus that has scraped at other moments counts nothing twice, and after two minutes the next window begins with it', async () => {
    const { pods, atMs, read } = await started();
    pods.answer('c1', '200', 10);
    pods.scrape(atMs(5));
    expect(await read(0, 8)).toMatchObject({ endsAtSample: true, window: { toMs: atMs(5) } });
    // Another one scraped two seconds later.
    expect(await read(7, 12, { fromSample: true })).toEqual({
      ...{ metric: 'errors', kind: 'unknown' },
      reason: expect.stringMatching(
        /^Prometheus does not show the sample .*: always query the same replica, or a proxy that removes duplicates$/,
      ),
    });
    expect(await read(5, 12, { fromSample: true }), 'the same one').toMatchObject({ kind: 'window' });
    pods.answer('c1', '200', 10);
    pods.scrape(atMs(130));
    const late = { ...{ fromMs: atMs(7), toMs: atMs(130), canary: none, primary: none } };
    expect(await read(7, 131, { fromSample: true })).toEqual({
      ...{ metric: 'errors', kind: 'window', window: late, isFinal: true, endsAtSample: true },
    });
  });

  it('20.3: a window in which all counters of a side began or were reset is final, since a longer one would count that side no better', async () => {
    const { pods, atMs, read } = await started();
    pods.remove('c1');
    pods.start('c2', 'podinfo');
    expect(await read(0, 3), 'nothing has happened yet').not.toHaveProperty('isFinal');
    pods.scrape(atMs(4));
    expect(await read(0, 5), 'nothing of the canary is there: it may come').not.toHaveProperty('isFinal');
    pods.answer('c2', '200', 5);
    pods.scrape(atMs(6));
    expect(await read(0, 10)).toMatchObject({ isFinal: true, window: { canary: none } });
    expect(await read(6, 10)).not.toHaveProperty('isFinal');
    pods.start('c3', 'podinfo');
    pods.answer('c3', '200', 1);
    pods.scrape(atMs(11));
    expect(await read(6, 11), 'the old one is still shown, as by a proxy, and has no requests').toMatchObject({ isFinal: true });
    pods.remove('c3');
    pods.start('c2', 'podinfo');
    pods.answer('c2', '200', 1);
    pods.scrape(atMs(12));
    expect(await read(6, 13)).toMatchObject({ isFinal: true });
  });

  it('20.3: a window is also final if a counter of a side began beside another without requests: a pod of the previous revision', async () => {
    const { pods, atMs, read } = await started();
    pods.start('c2', 'podinfo');
    pods.answer('c2', '200', 5);
    pods.answer('p1', '200', 5);
    pods.scrape(atMs(6));
    expect(await read(0, 10)).toMatchObject({ isFinal: true, window: { canary: none } });
    pods.answer('c2', '200', 5);
    pods.scrape(atMs(12));
    pods.start('p2', 'podinfo-primary');
    pods.answer('p2', '200', 1);
    pods.scrape(atMs(14));
    expect(await read(10, 15), 'the primary had requests of its other pod before').toMatchObject({
      isFinal: true,
      window: { primary: none },
    });
    pods.answer('p1', '200', 5);
    pods.start('p2', 'podinfo-primary');
    pods.answer('p2', '200', 1);
    pods.scrape(atMs(18));
    expect(await read(15, 20), 'the canary may have requests yet, whatever began at the primary').not.toHaveProperty('isFinal');
  });

  it('20.3: a counter that leaps further than any process counts is not believed, and counted again from there', async () => {
    const { pods, atMs, read, sidesOf } = await started();
    pods.answer('p1', '200', 5);
    pods.answer('p2', '200', 1e15);
    pods.scrape(atMs(5));
    expect((await sidesOf(0, 5)).primary).toEqual({ requests: 5, failures: 0 });
    pods.answer('p2', '500', 3);
    pods.scrape(atMs(10));
    expect(await read(5, 10)).toMatchObject({ window: { primary: { requests: 3, failures: 3 } } });
  });

  it('20.3: a scrape that is lost within the window changes nothing', async () => {
    const { pods, atMs, sidesOf } = await started();
    pods.answer('p1', '500', 4);
    pods.scrape(atMs(5), ['p1']);
    pods.answer('p1', '200', 6);
    pods.scrape(atMs(10));
    expect((await sidesOf(0, 10)).primary).toEqual({ requests: 10, failures: 4 });
  });

  it('20.3: a pod without a success has failed every request', async () => {
    const { pods, atMs, sidesOf } = await started();
    pods.start('c2', 'podinfo');
    pods.answer('c2', '500', 1);
    pods.scrape(atMs(5));
    pods.answer('c2', '500', 9);
    pods.scrape(atMs(10));
    expect((await sidesOf(5, 10)).canary).toEqual({ requests: 9, failures: 9 });
  });

  it('20.3: if neither side has a series, the answer names the metric and the workload, without the query', async () => {
    await emptyServer();
    const [answer] = await compare(canary([]), [{ metric: 'errors', fromMs: endMs - 10_000 }], dependencies());
    expect(answer).toEqual({
      metric: 'errors',
      kind: 'unknown',
      reason: 'no series of istio_requests_total for podinfo, nor for its primary',
    });
  });
});

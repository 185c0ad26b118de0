import { foundLife, type Life } from '../life.ts';

/** Lives of a Knative Service that once found a fault of Serin; they are always played. */
export const found: readonly { what: string; life: Life }[] = [
  {
    what: 'a push after the deletion gave users the version whose release had failed, since the pushed one was not ready',
    life: foundLife(7, { hasService: false, provider: 'knative' }, [
      { at: 'resting', afterMs: 10_000, action: { do: 'push', version: 'bad-2' } },
      { at: 'resting', afterMs: 10_000, action: { do: 'delete the Canary' } },
      { at: 'resting', afterMs: 100, action: { do: 'push', version: 'broken' } },
    ]),
  },
  {
    what: 'a push to a Service that was made again got its users without an analysis, since its Revision had the name of the promoted one',
    life: foundLife(2054, { hasService: false, provider: 'knative' }, [
      { at: 'resting', afterMs: 900, action: { do: 'push', version: 'good-2' } },
      { at: 'resting', afterMs: 1_000, action: { do: 'helm uninstall', order: ['target'], gapMs: 300 } },
      { at: 'now', afterMs: 3_000, action: { do: 'helm install', version: 'good-3' } },
      { at: 'now', afterMs: 30_000, action: { do: 'push', version: 'bad-4' } },
    ]),
  },
  {
    what: 'a push to a Service that was made again got all users, since the release waited for a Revision of the former Service',
    life: foundLife(2015, { hasService: false, provider: 'knative' }, [
      { at: 'resting', afterMs: 1_000, action: { do: 'push', version: 'good-2' } },
      { at: 'resting', afterMs: 600, action: { do: 'push', version: 'good-3' } },
      { at: 'resting', afterMs: 600, action: { do: 'helm uninstall', order: ['target'], gapMs: 1_100 } },
      { at: 'now', afterMs: 3_100, action: { do: 'helm install', version: 'good-4' } },
      { at: 'now', afterMs: 40_000, action: { do: 'push', version: 'bad-5' } },
    ]),
  },
];

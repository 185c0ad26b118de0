import { httpFake } from './http-fake.ts';

const vector = (...values: unknown[]) =>
  JSON.stringify({ status: 'success', data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) } });

/** Answers of Prometheus' query API, whichever server gives them. */
export const startPrometheusFake = () =>
  httpFake({
    // `vector(1)` is the probe.
    value: ({ url }) => vector(url.includes('vector') ? '1' : '7'),
    noData: vector(),
    null: vector(null),
    NaN: vector('NaN'),
    empty: vector(),
    severalSeries: vector('1', '2'),
    refused: { status: 400, body: '{"status":"error","errorType":"bad_data","error":"1:5: parse error"}' },
  });

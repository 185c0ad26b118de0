import fc from 'fast-check';
import { checkTypes } from '../../src/embedded/prometheus/promql/check-types.ts';
import { parsePromql } from '../../src/embedded/prometheus/promql/parse.ts';
import { QueryError } from '../../src/embedded/prometheus/query-error.ts';
import { createJsonLines } from '../../src/kube/json-lines.ts';
import { UnansweredError } from '../../src/metrics/http/within-timeout.ts';
import { readFrame } from '../../src/metrics/providers/signalflow/data-frame.ts';
import type { Fuzzed } from './fuzz.ts';
import { hostileJson, hostileText } from './hostile-values.ts';
import { objectReaders } from './object-readers.ts';
import { textReaders } from './text-readers.ts';

/** Readers of text that is JSON more often than not. */
const READS_JSON = /^(a payload|a query of CloudWatch|an answer of (Prometheus|Slack)|a request by annotation|a refusal of an API server)/;
const json = hostileJson.map((value) => JSON.stringify(value) ?? '');

const ofBytes: Readonly<Record<string, Fuzzed>> = {
  'a frame of SignalFlow': {
    feed: fc
      .tuple(fc.constantFrom([], [1], [1, 5, 0], [1, 5, 1], [1, 1, 2]), fc.uint8Array({ maxLength: 200 }))
      .map(([head, rest]) => Buffer.from([...head, ...rest])),
    read: readFrame,
    throws: [UnansweredError],
  },
  'lines of JSON': {
    feed: fc.array(fc.oneof(json, hostileText, fc.constant('\n')), { maxLength: 6 }),
    read(parts: string[]) {
      const values: unknown[] = [];
      const lines = createJsonLines((value) => values.push(value));
      for (const part of parts) lines.push(Buffer.from(part));
      return values;
    },
    throws: [SyntaxError],
  },
  'a query of PromQL': {
    feed: hostileText,
    read(text: string) {
      checkTypes(parsePromql(text));
    },
    // An aggregate has two readings until its name is read, and each holds a copy of its nesting.
    stepsEach: 5_000,
    throws: [QueryError],
  },
};

/** Every reader of what a tenant writes, or of what a server answers that a tenant names. */
export const fuzzed: Readonly<Record<string, Fuzzed>> = {
  ...Object.fromEntries(
    Object.entries(textReaders).map(([name, read]): [string, Fuzzed] => [
      name,
      { feed: READS_JSON.test(name) ? fc.oneof(json, hostileText) : hostileText, read },
    ]),
  ),
  ...objectReaders,
  ...ofBytes,
};

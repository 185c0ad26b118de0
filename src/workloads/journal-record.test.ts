import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { readJournal } from './journal-record.ts';

const record = (json: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'podinfo-serin-journal-1', namespace: 'test' },
  data: { encoding: 'zlib+base64', text: deflateSync(json).toString('base64') },
});
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

it('I16: a journal can be nested 60 levels deep, and no deeper', () => {
  expect(readJournal(record(nested(60)))).toHaveProperty('json');
  expect(readJournal(record(nested(61)))).toEqual({ problem: 'data.text is nested more than 60 levels deep' });
});

it('I16: closed levels do not count', () => {
  expect(readJournal(record(`[${Array.from({ length: 100 }, () => nested(2)).join()}]`))).toHaveProperty('json');
});

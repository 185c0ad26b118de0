import { expect, it } from 'vitest';
import { readPayload } from './payload.ts';

const read = (text: string) => readPayload(Buffer.from(text));

it.each(['null', '{}', '{"name":null,"metadata":null}'])('%s is a payload, of the empty name', (text) => {
  expect(read(text)).toEqual({ name: '', namespace: '', phase: '', checksum: '', metadata: new Map() });
});

it('unknown fields are ignored, and so are types of content', () => {
  const sent = { name: 'a', namespace: 'b', phase: 'Progressing', checksum: 'c', canaryWeight: 5, metadata: { cmd: 'x', type: null } };
  expect(read(JSON.stringify(sent))).toEqual({
    name: 'a',
    namespace: 'b',
    phase: 'Progressing',
    checksum: 'c',
    metadata: new Map([
      ['cmd', 'x'],
      ['type', ''],
    ]),
  });
});

it.each([
  ['', 'the body is not JSON'],
  ['{"name":', 'the body is not JSON'],
  ['{} {}', 'the body is not JSON'],
  ['[]', "the payload is not one of a Canary's webhook: it is invalid_type"],
  ['"text"', "the payload is not one of a Canary's webhook: it is invalid_type"],
  ['{"name":1}', "the payload is not one of a Canary's webhook: name is invalid_type"],
  [`{"name":"${'x'.repeat(254)}"}`, "the payload is not one of a Canary's webhook: name is too_big"],
  ['{"metadata":[]}', "the payload is not one of a Canary's webhook: metadata is invalid_type"],
  ['{"metadata":{"cmd":5}}', 'metadata.cmd must be a text'],
  ['{"metadata":{"cmd":{"a":"b"}}}', 'metadata.cmd must be a text'],
])('%s is refused: %s', (text, problem) => {
  expect(read(text)).toEqual({ problem });
});

it('endless nesting is rejected without a crash', () => {
  const answer = read(`{"metadata":{"cmd":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`);
  expect(answer).toHaveProperty('problem');
});

it('no key pollutes a prototype', () => {
  const answer = read('{"__proto__":{"polluted":"yes"},"metadata":{"__proto__":"x","constructor":"y","cmd":"z"}}');
  expect('metadata' in answer ? [...answer.metadata] : answer).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['cmd', 'z'],
  ]);
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
  expect(read('{"metadata":{"__proto__":{"polluted":"yes"}}}')).toEqual({ problem: 'metadata.__proto__ must be a text' });
});

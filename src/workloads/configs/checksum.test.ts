import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { configChecksum } from './checksum.ts';

const sha = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
const parsed = (json: string): Record<string, unknown> => JSON.parse(json);

describe('configChecksum', () => {
  it.each([
    { what: 'one key', data: { color: 'blue' }, checksum: 'f234cb93c08ad64e' },
    { what: 'what HTML escapes', data: { a: 'x', b: '<a&b>' }, checksum: '3554a54841968ccc' },
    { what: 'a Secret', data: { apiKey: 'dGVzdA==' }, checksum: '3930f0692c2295eb' },
    { what: 'nothing', data: undefined, checksum: '74234e98afe7498f' },
    { what: 'null', data: null, checksum: '74234e98afe7498f' },
    { what: 'an empty map', data: {}, checksum: '44136fa355b3678a' },
    { what: 'the settings of the worked example', data: { REGION: 'eu', TIMEOUT: '5s' }, checksum: '34a56f8d5edd727c' },
    { what: 'the same in another order', data: { TIMEOUT: '5s', REGION: 'eu' }, checksum: '34a56f8d5edd727c' },
    { what: 'the file of the worked example', data: { 'app.toml': 'debug = false\n' }, checksum: '6c56b6006622f692' },
    { what: 'the Secret of the worked example', data: { password: 'czNjcmV0' }, checksum: 'b4f1332af1fc9e1c' },
  ])('$what gives the vector $checksum', ({ data, checksum }) => expect(configChecksum({ data })).toBe(checksum));

  it.each([
    { what: 'integer-like keys by bytes', data: parsed('{"2":"b","10":"a","1":"c"}'), json: '{"1":"c","10":"a","2":"b"}' },
    { what: 'upper case before lower', data: { a: '1', B: '2', _: '3' }, json: '{"B":"2","_":"3","a":"1"}' },
    { what: 'control characters', data: { k: '\b\f\n\r\t\0\u001f' }, json: String.raw`{"k":"\b\f\n\r\t\u0000\u001f"}` },
    { what: 'delete unescaped', data: { k: '\u007f' }, json: '{"k":"\u007f"}' },
    { what: 'line separators escaped', data: { k: '\u2028\u2029' }, json: String.raw`{"k":"\u2028\u2029"}` },
    { what: 'quotes and backslashes', data: { k: '"\\/' }, json: String.raw`{"k":"\"\\/"}` },
    { what: 'other unicode as it is', data: { k: 'größe 漢 😀' }, json: '{"k":"größe 漢 😀"}' },
    { what: 'a key that JavaScript treats specially', data: parsed('{"__proto__":"x"}'), json: '{"__proto__":"x"}' },
  ])('writes $what, as Go does', ({ data, json }) => expect(configChecksum({ data })).toBe(sha(json)));

  it('binaryData counts if it is not empty, and otherwise changes nothing', () => {
    const data = { color: 'blue' };
    expect(configChecksum({ data, binaryData: {} })).toBe('f234cb93c08ad64e');
    const one = configChecksum({ data, binaryData: { logo: 'AAE=' } });
    const other = configChecksum({ data, binaryData: { logo: 'AAI=' } });
    const moved = configChecksum({ data: { color: 'blue', logo: 'AAE=' } });
    expect(new Set([one, other, moved, 'f234cb93c08ad64e']).size).toBe(4);
    expect(one).toBe(sha('{"color":"blue"}\n{"logo":"AAE="}'));
  });

  it('1 MiB of data is hashed completely', () => {
    const large = 'é'.repeat(512 * 1024);
    expect(configChecksum({ data: { large } })).toBe(sha(`{"large":"${large}"}`));
    expect(configChecksum({ data: { large: `${large}x` } })).not.toBe(configChecksum({ data: { large } }));
  });
});
